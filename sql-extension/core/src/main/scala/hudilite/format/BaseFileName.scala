package hudilite.format

/** Name of a base file or skeleton: `<fileId>_<writeToken>_<instant>.parquet`.
  * @param fileId     id of the file group; holds no `_`
  * @param writeToken `<partition>-<stage>-<attempt>` of the task that wrote the file
  * @param instant    instant time of the commit that wrote it, 14 or 17 digits
  * Source: hudi-format §4.1. */
final case class BaseFileName(fileId: String, writeToken: String, instant: String) {
  def text: String = s"${fileId}_${writeToken}_$instant.parquet"
}

object BaseFileName {
  private val pattern = "([^_/]+)_([0-9]+-[0-9]+-[0-9]+)_([0-9]{14}|[0-9]{17})\\.parquet".r

  /** @return the parts of a file name, or nothing when it names no base file */
  def parse(name: String): Option[BaseFileName] = name match {
    case pattern(fileId, writeToken, instant) => Some(BaseFileName(fileId, writeToken, instant))
    case _ => None
  }

  /** The file name at the end of a path relative to the table; its folders may hold any character. */
  def last(path: String): String = path.drop(path.lastIndexOf('/') + 1)

  /** Its folders, "" for a file in the table's own. */
  def folder(path: String): String = path.take(math.max(path.lastIndexOf('/'), 0))

  /** Path of a file relative to the table.
    * @param partition relative partition path, "" when the table has none */
  def place(partition: String, name: String): String =
    if (partition.isEmpty) name else s"$partition/$name"
}
