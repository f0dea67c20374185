package hudilite.view

import org.apache.hadoop.fs.Path

/** One version of a file group: the base file that an instant wrote.
  * @param partition relative partition path, "" when the table has none
  * @param fileId    file group
  * @param instant   commit that wrote it
  * @param path      full path
  * @param length    size in bytes, as listed */
final case class FileSlice(
    partition: String,
    fileId: String,
    instant: String,
    path: Path,
    length: Long
) {
  def fileName: String = path.getName
}
