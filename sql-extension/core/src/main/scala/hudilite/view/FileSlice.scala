package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.format.BaseFileName

/** One version of a file group: the base file that an instant wrote.
  * @param partition relative partition path, "" when the table has none
  * @param fileId    file group
  * @param instant   commit that wrote it
  * @param path      full path
  * @param length    size in bytes, as listed
  * @param source    where its data lie, when the base file is a skeleton: a bootstrap left them there */
final case class FileSlice(
    partition: String,
    fileId: String,
    instant: String,
    path: Path,
    length: Long,
    source: Option[SourceFile] = None
) {
  def fileName: String = path.getName

  /** Path relative to the table. */
  def place: String = BaseFileName.place(partition, fileName)

  /** Size in bytes that one file with all its columns may have. */
  def wholeLength: Long = length + source.fold(0L)(_.length)

  /** Size in bytes of the file that holds the data. */
  def dataLength: Long = source.fold(length)(_.length)
}
