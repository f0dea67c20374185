package hudilite.io

import org.apache.hadoop.fs.Path

/** File or folder in a listing. The full path is built only on request, because long listings need
  * it for few entries.
  * @param folder         parent folder
  * @param name           last part of the path
  * @param length         size in bytes, 0 for a folder
  * @param isDirectory    whether it is a folder
  * @param modifiedMillis last change by the storage's clock, milliseconds since 1970
  * @param etag           tag of the content, where the store has such tags: it changes with the
  *                       content */
final case class FileEntry(
    folder: Path,
    name: String,
    length: Long,
    isDirectory: Boolean,
    modifiedMillis: Long,
    etag: Option[String]
) {

  /** Returns the full path. */
  def path: Path = Storage.resolve(folder, name)
}

object FileEntry {

  /** Creates an entry from its full path.
    * @param path path of a file or folder, not of the root */
  def apply(
      path: Path,
      length: Long,
      isDirectory: Boolean,
      modifiedMillis: Long = 0L,
      etag: Option[String] = None
  ): FileEntry =
    FileEntry(path.getParent, path.getName, length, isDirectory, modifiedMillis, etag)
}
