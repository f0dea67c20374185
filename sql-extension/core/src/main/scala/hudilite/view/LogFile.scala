package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.format.LogFileName
import hudilite.io.FileEntry

/** Log file of a file slice, with changes to the rows of the base.
  * @param path   full path
  * @param length size in bytes, from the listing
  * @param name   parts of the file name
  * @param committed number of bytes that commits of the active timeline wrote, 0 if there are none */
final case class LogFile(path: Path, length: Long, name: LogFileName, committed: Long = 0L)
    extends StoredFile

object LogFile {

  /** Order in which the log files of a slice apply. Source: merge-on-read §2. */
  val order: Ordering[LogFile] =
    Ordering.by(log => (log.name.instant, log.name.version, log.name.writeToken))

  /** Returns the log file of a listing's entry, or None if it is no log file. */
  def of(entry: FileEntry): Option[LogFile] =
    LogFileName.parse(entry.name).filter(_ => !entry.isDirectory).map { name =>
      LogFile(entry.path, entry.length, name)
    }
}
