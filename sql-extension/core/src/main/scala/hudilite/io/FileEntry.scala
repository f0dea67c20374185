package hudilite.io

import org.apache.hadoop.fs.Path

/** One file or folder as a listing shows it. The full path is made when it is asked for: long
  * listings need few.
  * @param folder         where it lies
  * @param name           last part of its path
  * @param length         size in bytes, 0 for a folder
  * @param isDirectory    whether it is a folder
  * @param modifiedMillis last change by the storage's clock, milliseconds since 1970 */
final case class FileEntry(
    folder: Path,
    name: String,
    length: Long,
    isDirectory: Boolean,
    modifiedMillis: Long
) {

  /** Full path. */
  def path: Path = Storage.resolve(folder, name)
}

object FileEntry {

  /** @param path full path, of a file or folder with a name */
  def apply(
      path: Path,
      length: Long,
      isDirectory: Boolean,
      modifiedMillis: Long = 0L
  ): FileEntry = FileEntry(path.getParent, path.getName, length, isDirectory, modifiedMillis)
}
