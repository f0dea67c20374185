package hudilite.format

/** Numbers of buckets that the partitions of a table have: one, or two while the table is rescaled.
  * @param own        count of the file groups whose ids tell none
  * @param other      count of all others, a multiple or a divisor of `own`; equal to it if the table
  *                   has one count
  * @param takesOther whether the first file groups of a partition get `other` */
final case class BucketCounts(own: Int, other: Int, takesOther: Boolean) {

  /** Whether two counts are in use. */
  def areMixed: Boolean = own != other

  /** Lower count. A bucket of it has the keys of whole buckets of the other count. */
  def coarse: Int = math.min(own, other)

  /** Higher count. The hash of a key modulo this count tells its bucket of either count. */
  def fine: Int = math.max(own, other)

  /** Count that the first file groups of a partition get. */
  def next: Int = if (takesOther) other else own

  /** Whether a rescale from one count may give the table a count: a multiple or a divisor. */
  def canBecome(count: Int): Boolean = !areMixed && (count % own == 0 || own % count == 0)

  /** Text for messages. */
  def text: String = Seq(own, other).distinct.mkString(" and ")

  /** Returns the bucket of a file group; None if its id was not made for a bucket. */
  def bucketOf(fileId: String): Option[Bucket] =
    FileId.bucketOf(fileId).map(Bucket(_, FileId.countOf(fileId).getOrElse(own)))

  /** Returns the id of the file group of a bucket.
    * @param tableUuid uuid of the table
    * @param partition relative partition path, "" if the table has none
    * @param epoch     as of [[FileId.bucket]] */
  def fileId(tableUuid: String, partition: String, bucket: Bucket, epoch: String): String =
    if (bucket.count == own) FileId.bucket(tableUuid, partition, bucket.number, epoch)
    else FileId.counted(tableUuid, partition, bucket, epoch)

  /** Returns the numbers of all buckets, of either count, that may have keys in common with one. */
  def overlapping(number: Int): Seq[Int] =
    (number % coarse until fine by coarse).toVector
}

object BucketCounts {

  /** Returns those of a table with one count. */
  def of(count: Int): BucketCounts = BucketCounts(count, count, takesOther = false)
}
