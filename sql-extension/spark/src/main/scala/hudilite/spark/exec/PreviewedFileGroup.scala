package hudilite.spark.exec

/** What a write would do to one file group.
  * @param partition partition path
  * @param fileId    id of the file group, None for one that the write would begin
  * @param action    what would happen to it: one of the words below
  * @param file      name of its base file in the table, if it has one
  * @param bytes     size of the files that are rewritten or hidden, or of the log file that is
  *                  added; None for a new base file
  * @param updated   rows that are updated, including those that move to another partition
  * @param inserted  rows that are inserted, not moved
  * @param deleted   rows that are deleted, not moved; those of a hidden file group are not counted
  * @param copied    rows that a new base file contains as they are
  * @param conflicts instants of pending writes that write the same file group */
final case class PreviewedFileGroup(
    partition: String,
    fileId: Option[String],
    action: String,
    file: Option[String],
    bytes: Option[Long],
    updated: Long = 0,
    deleted: Long = 0,
    inserted: Long = 0,
    copied: Long = 0,
    conflicts: Seq[String] = Nil
)

object PreviewedFileGroup {

  /** A base file is replaced by a new one. */
  val Rewrite = "rewrite"

  /** A file group begins with a base file. */
  val Add = "add"

  /** A file group gets a log file. */
  val Log = "log"

  /** A file group is hidden with its partition. */
  val Hide = "hide"
}
