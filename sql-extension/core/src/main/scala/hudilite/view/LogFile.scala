package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.format.LogFileName
import hudilite.io.FileEntry

/** Log file of a file slice, with changes to the rows of the base.
  * @param path   full path
  * @param length size in bytes, from the listing
  * @param name   parts of the file name */
final case class LogFile(path: Path, length: Long, name: LogFileName) extends StoredFile

object LogFile {

  /** Returns the log file of a listing's entry, or None if it is no log file. */
  def of(entry: FileEntry): Option[LogFile] =
    LogFileName.parse(entry.name).filter(_ => !entry.isDirectory).map { name =>
      LogFile(entry.path, entry.length, name)
    }
}
