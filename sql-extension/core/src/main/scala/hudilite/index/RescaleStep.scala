package hudilite.index

import hudilite.format.{Bucket, BucketCounts}
import hudilite.view.FileSlice

/** Step of a rescale: file groups of a partition that are replaced by those of other buckets with the
  * same keys. One bucket is divided into several, or several become one.
  * @param from slices of the file groups, at least one
  * @param to   buckets that get file groups, if there are rows for them */
final case class RescaleStep(partition: String, from: Seq[FileSlice], to: Seq[Bucket]) {

  /** Size in bytes of the files to read. */
  def bytes: Long = from.map(_.dataLength).sum

  /** Number of buckets before the step. */
  def count: Int = from.flatMap(_.bucket).map(_.count).max

  /** Bucket of the lower number of buckets, which has the keys of all others. */
  def whole: Bucket = (to ++ from.flatMap(_.bucket)).minBy(bucket => (bucket.count, bucket.number))

  /** Returns the numbers of all buckets that may have a key of the step, also of those without a file
    * group. */
  def numbers(counts: BucketCounts): Seq[Int] = counts.overlapping(whole.number)
}

object RescaleStep {

  /** Returns the steps after which all buckets of a partition have a number of buckets, in the order of
    * their bucket numbers.
    * @param slices latest slices of the partition
    * @param count  number of buckets, a multiple or a divisor of the number that each slice has */
  def of(partition: String, slices: Seq[FileSlice], count: Int): Seq[RescaleStep] = {
    val placed = for { slice <- slices; bucket <- slice.bucket } yield bucket -> slice
    val others = placed.filter(_._1.count != count)
    others.groupBy { case (bucket, _) => bucket.number % math.min(bucket.count, count) }.toSeq
      .sortBy(_._1)
      .map { case (number, some) =>
        val (buckets, from) = some.sortBy(_._1.number).unzip
        val of = buckets.head.count
        val to =
          if (count > of) (number until count by of).map(Bucket(_, count))
          else Seq(Bucket(number, count))
        RescaleStep(partition, from, to)
      }
  }
}
