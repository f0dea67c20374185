package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.format.{BaseFileName, LogFileName}
import hudilite.io.FileEntry

/** Base or log file in the folder of a partition, committed or not.
  * @param partition relative partition path, "" when the table has none
  * @param fileId    id of the file group
  * @param instant   instant in the name of the file
  * @param path      full path
  * @param length    size in bytes
  * @param isLog     whether it is a log file
  * @param modifiedMillis last change by the storage's clock, milliseconds since 1970 */
final case class DataFile(
    partition: String,
    fileId: String,
    instant: String,
    path: Path,
    length: Long,
    isLog: Boolean,
    modifiedMillis: Long
) extends StoredFile {

  /** Name of the file. */
  def fileName: String = path.getName

  /** Path of the file relative to the table. */
  def place: String = BaseFileName.place(partition, fileName)
}

object DataFile {

  /** Returns the base and log files of a listing. */
  private[hudilite] def all(entries: Seq[FileEntry], partition: String): Seq[DataFile] =
    entries.distinctBy(_.name).filter(!_.isDirectory).flatMap { entry =>
      def file(fileId: String, instant: String, isLog: Boolean) = {
        val millis = entry.modifiedMillis
        DataFile(partition, fileId, instant, entry.path, entry.length, isLog, millis)
      }
      BaseFileName.parse(entry.name).map(name => file(name.fileId, name.instant, isLog = false))
        .orElse(LogFileName.parse(entry.name).map { name =>
          file(name.fileId, name.instant, isLog = true)
        })
    }
}
