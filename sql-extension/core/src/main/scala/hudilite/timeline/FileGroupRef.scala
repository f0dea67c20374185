package hudilite.timeline

/** What a commit touches, as its rivals see it: one file group, one bucket whatever its file
  * group, or all that a partition holds or may get.
  * @param partition relative partition path, "" when the table has none; with a `/` at its end it
  *                  stands for every partition below, and `*` for each there is or may come
  * @param group     a file id, the eight digits of a bucket, `new` or `*` */
final case class FileGroupRef(partition: String, group: String) {

  /** Whether two commits that touch these two exclude each other. */
  def conflicts(other: FileGroupRef): Boolean =
    covers(other) || other.covers(this) || isSamePartition(other) &&
      (group == other.group || isBucketOf(other) || other.isBucketOf(this))

  /** As errors show it. */
  def text: String = if (partition.isEmpty) group else s"$partition/$group"

  /** Names every file group of a partition, also one that is not there yet. */
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

  /** All there is, as a change of the columns touches it. */
  val wholeTable: FileGroupRef = FileGroupRef("", all)

  /** A partition as a whole, its buckets without a file included.
    * @param path relative path; with a `/` at its end every partition below */
  def partition(path: String): FileGroupRef = FileGroupRef(path, all)

  /** A bucket in each partition, those that are not there yet included. */
  def everywhere(bucket: Int): FileGroupRef = FileGroupRef.bucket(all, bucket)

  /** What stands for the keys that a partition of a table without buckets does not hold.
    * @param path relative path; None for each partition there is or may come */
  def absentKeys(path: Option[String]): FileGroupRef = FileGroupRef(path.getOrElse(all), "new")

  /** The bucket of a table that has buckets. */
  def bucket(partition: String, bucket: Int): FileGroupRef = FileGroupRef(partition, f"$bucket%08d")
}
