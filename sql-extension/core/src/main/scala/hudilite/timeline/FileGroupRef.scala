package hudilite.timeline

/** Reference to what a commit touches, for conflict checks between commits: one file group, one
  * bucket whatever its file group is, or everything that a partition contains or may get.
  * @param partition relative partition path, "" if the table has none. With a `/` at its end it
  *                  stands for every partition below it, and `*` stands for every partition that
  *                  exists or may be added.
  * @param group     a file id, the eight digits of a bucket, `new` for keys that do not exist yet,
  *                  or `*` for all */
final case class FileGroupRef(partition: String, group: String) {

  /** Whether two commits that touch these two references conflict. */
  def conflicts(other: FileGroupRef): Boolean =
    covers(other) || other.covers(this) || isSamePartition(other) &&
      (group == other.group || isBucketOf(other) || other.isBucketOf(this))

  /** Returns the text of the reference in errors. */
  def text: String = if (partition.isEmpty) group else s"$partition/$group"

  /** Whether the reference stands for every file group of a partition, including future ones, and
    * the other one is in that partition. */
  private def covers(other: FileGroupRef): Boolean =
    group == FileGroupRef.all && (partition.isEmpty || partition == other.partition ||
      partition.endsWith("/") && s"${other.partition}/".startsWith(partition))

  private def isSamePartition(other: FileGroupRef): Boolean =
    partition == other.partition || partition == FileGroupRef.all ||
      other.partition == FileGroupRef.all

  private def isBucketOf(other: FileGroupRef): Boolean =
    group.length == FileGroupRef.bucketDigits && other.group.startsWith(group + "-")
}

object FileGroupRef {
  private val bucketDigits = 8
  private val all = "*"

  /** Reference to the whole table, which a change of columns touches. */
  val wholeTable: FileGroupRef = FileGroupRef("", all)

  /** Reference to a whole partition, including buckets without a file.
    * @param path relative path; with a `/` at its end every partition below it */
  def partition(path: String): FileGroupRef = FileGroupRef(path, all)

  /** Reference to a bucket in each partition, including partitions that do not exist yet. */
  def everywhere(bucket: Int): FileGroupRef = FileGroupRef.bucket(all, bucket)

  /** Reference to the keys that a partition of a table without buckets does not contain.
    * @param path relative path; None for every partition that exists or may be added */
  def absentKeys(path: Option[String]): FileGroupRef = FileGroupRef(path.getOrElse(all), "new")

  /** Reference to a bucket of a table that has buckets. */
  def bucket(partition: String, bucket: Int): FileGroupRef = FileGroupRef(partition, f"$bucket%08d")
}
