package hudilite.index

import hudilite.format.IndexKind

/** Recommended sizes of the files of a table's buckets. Between [[least]] and [[most]], stock
  * Hudi's consistent hashing neither splits nor merges a bucket, for files of its usual size.
  * Source: hoodie.parquet.max.file.size, hoodie.bucket.index.merge.threshold,
  * hoodie.bucket.index.split.threshold; peers C1.8. */
object BucketSizes {

  /** Recommended size in bytes of a bucket's file. */
  val wished: Long = 120L << 20

  /** Size in bytes below which buckets cost more than they save. */
  val least: Long = leastOf(wished)

  /** Size in bytes above which a bucket should be split into several. */
  val most: Long = mostOf(wished)

  /** Returns what [[least]] is for files of another recommended size. */
  def leastOf(target: Long): Long = target / 5

  /** Returns what [[most]] is for files of another recommended size. */
  def mostOf(target: Long): Long = math.min(target, Long.MaxValue / 2) * 2

  /** Whether files have a recommended size, or the bytes of their partition fit into one bucket of
    * the least size: then they are small for any number of buckets.
    * @param mean    mean size in bytes of the files of a partition
    * @param buckets number of buckets of the partition
    * @param target  recommended size in bytes */
  def areFit(mean: Long, buckets: Int, target: Long = wished): Boolean =
    mean <= mostOf(target) &&
      (mean >= leastOf(target) || mean.toDouble * buckets <= leastOf(target))

  /** Returns the number of buckets that give files of the recommended size.
    * @param bytes  bytes of the partition
    * @param target recommended size in bytes, 1 or more */
  def count(bytes: Long, target: Long = wished): Int =
    math.min((math.max(bytes, 1L) - 1) / target + 1, IndexKind.maxBuckets.toLong).toInt

  /** Returns a size for people. */
  def shown(bytes: Long): String = {
    def rounded(unit: Long) = (bytes + unit / 2) / unit
    if (bytes < mb) s"${rounded(mb >> 10)} KB" else s"${rounded(mb)} MB"
  }

  private val mb = 1L << 20

  /** Advice to change the number of buckets.
    * @param partition relative path of the partition with the largest files
    * @param mean      mean size in bytes of its files
    * @param better    number of buckets that would give files of the recommended size */
  final case class Advice(partition: String, mean: Long, better: Int)

  /** Returns the advice for a table, from some files of each partition.
    *
    * The partition with the largest files decides, because other partitions may be new.
    * @param files   partition and size in bytes of each file
    * @param buckets number of buckets of a partition
    * @return None if the mean size is in the recommended range */
  def advice(files: Seq[(String, Long)], buckets: Int): Option[Advice] =
    files.groupMap(_._1)(_._2).toSeq
      .map { case (partition, bytes) => (bytes.sum / bytes.size, partition) }
      .maxOption
      .collect {
        case (mean, partition) if !areFit(mean, buckets) =>
          Advice(partition, mean, count(mean * buckets))
      }
      .filter(_.better != buckets)
}
