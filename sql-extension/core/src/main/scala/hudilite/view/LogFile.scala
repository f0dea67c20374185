package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.format.{LogFileBlocks, LogFileName}
import hudilite.io.FileEntry

/** Log file of a file slice, with changes to the rows of the base.
  * @param path   full path
  * @param length size in bytes, from the listing
  * @param name   parts of the file name
  * @param committed number of bytes that commits of the active timeline wrote, 0 if there are none
  * @param modifiedMillis last change by the storage's clock, milliseconds since 1970
  * @param etag tag of the content, where the store has such tags */
final case class LogFile(
    path: Path,
    length: Long,
    name: LogFileName,
    committed: Long = 0L,
    modifiedMillis: Long = 0L,
    etag: Option[String] = None
) extends StoredFile {

  /** Returns a part of a block that belongs to a commit, so that rows are lost; None if a writer that
    * failed may have left all parts, which readers pass over.
    * @param read        blocks of the file
    * @param isCommitted whether a reader sees the commit of an instant */
  def lost(read: LogFileBlocks, isCommitted: String => Boolean): Option[LogFileBlocks.Torn] = {
    val isOfOne = read.blocks.flatMap(_.instant).distinct.size <= 1
    read.torn.find(torn => torn.instant.fold(isOfOne && torn.offset < committed)(isCommitted))
  }
}

object LogFile {

  /** Order in which the log files of a slice apply. Source: merge-on-read §2. */
  val order: Ordering[LogFile] =
    Ordering.by(log => (log.name.instant, log.name.version, log.name.writeToken))

  /** Returns the log file of a listing's entry, or None if it is no log file. */
  def of(entry: FileEntry): Option[LogFile] =
    LogFileName.parse(entry.name).filter(_ => !entry.isDirectory).map { name =>
      LogFile(entry.path, entry.length, name, modifiedMillis = entry.modifiedMillis,
        etag = entry.etag)
    }
}
