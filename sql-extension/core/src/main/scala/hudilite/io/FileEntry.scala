package hudilite.io

import org.apache.hadoop.fs.Path

/** One file or folder as a listing shows it.
  * @param path        full path
  * @param length      size in bytes, 0 for a folder
  * @param isDirectory whether it is a folder */
final case class FileEntry(path: Path, length: Long, isDirectory: Boolean) {

  /** Last part of the path. */
  def name: String = path.getName
}
