package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.format.BaseFileName

/** One version of a file group: the base file that an instant wrote.
  * @param partition relative partition path, "" when the table has none
  * @param fileId    id of the file group
  * @param instant   instant of the commit that wrote it
  * @param path      full path
  * @param length    size in bytes, from the listing
  * @param source    bootstrap source file with the data, if the base file is a skeleton */
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

  /** Estimated size in bytes of one base file with all columns: that of a skeleton plus its source
    * file. */
  def wholeLength: Long = length + source.fold(0L)(_.length)

  /** Size in bytes of the file with the data columns, which for a skeleton is its source file. */
  def dataLength: Long = source.fold(length)(_.length)
}
