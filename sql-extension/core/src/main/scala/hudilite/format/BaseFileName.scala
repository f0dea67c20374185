package hudilite.format

/** Name of a base file or skeleton: `<fileId>_<writeToken>_<instant>.parquet`.
  * @param fileId     id of the file group; contains no `_`
  * @param writeToken `<partition>-<stage>-<attempt>` of the task that wrote the file
  * @param instant    instant time of the commit that wrote it, 14 or 17 digits
  * Source: hudi-format §4.1. */
final case class BaseFileName(fileId: String, writeToken: String, instant: String) {
  def text: String = s"${fileId}_${writeToken}_$instant.parquet"
}

object BaseFileName {
  private val pattern = "([^_/]+)_([0-9]+-[0-9]+-[0-9]+)_([0-9]{14}|[0-9]{17})\\.parquet".r

  /** Returns the parts of a file name, or None if it is not the name of a base file. */
  def parse(name: String): Option[BaseFileName] = name match {
    case pattern(fileId, writeToken, instant) => Some(BaseFileName(fileId, writeToken, instant))
    case _ => None
  }

  /** Returns the file name at the end of a path relative to the table; its folders may contain any
    * character. */
  def last(path: String): String = path.drop(path.lastIndexOf('/') + 1)

  /** Returns the folders of such a path, "" for a file directly in the table's base path. */
  def folder(path: String): String = path.take(math.max(path.lastIndexOf('/'), 0))

  /** Returns the path of a file, relative to the table.
    * @param partition relative partition path, "" if the table has none */
  def place(partition: String, name: String): String =
    if (partition.isEmpty) name else s"$partition/$name"
}
