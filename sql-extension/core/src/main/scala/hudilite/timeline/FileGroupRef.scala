package hudilite.timeline

/** What a commit touches, as its rivals see it: one file group, or one bucket whatever its file
  * group.
  * @param partition relative partition path, "" when the table has none
  * @param group     a file id, or the eight digits of a bucket */
final case class FileGroupRef(partition: String, group: String) {

  /** Whether two commits that touch these two exclude each other. */
  def conflicts(other: FileGroupRef): Boolean =
    this == FileGroupRef.wholeTable || other == FileGroupRef.wholeTable || partition == other.partition &&
      (group == other.group || isBucketOf(other) || other.isBucketOf(this))

  /** As errors show it. */
  def text: String = if (partition.isEmpty) group else s"$partition/$group"

  private def isBucketOf(other: FileGroupRef): Boolean =
    group.length == FileGroupRef.bucketDigits && other.group.startsWith(group + "-")
}

object FileGroupRef {
  private val bucketDigits = 8

  /** All there is, as a change of the columns touches it. */
  val wholeTable: FileGroupRef = FileGroupRef("", "*")

  /** The bucket of a table that has buckets. */
  def bucket(partition: String, bucket: Int): FileGroupRef = FileGroupRef(partition, f"$bucket%08d")
}
