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
  val least: Long = wished / 5

  /** Size in bytes above which a bucket should be split into several. */
  val most: Long = wished * 2

  /** Advice to change the number of buckets.
    * @param partition relative path of the partition with the largest files
    * @param mean      mean size in bytes of its files
    * @param better    number of buckets that would give files of the recommended size */
  final case class Advice(partition: String, mean: Long, better: Int)

  /** Returns the advice for a table, from some files of each partition.
    *
    * The partition with the largest files decides, because other partitions may be new. If the
    * bytes of a partition fit into one bucket of the least size, its files are small for any number
    * of buckets.
    * @param files   partition and size in bytes of each file
    * @param buckets number of buckets of a partition
    * @return None if the mean size is in the recommended range */
  def advice(files: Seq[(String, Long)], buckets: Int): Option[Advice] =
    files.groupMap(_._1)(_._2).toSeq
      .map { case (partition, bytes) => (bytes.sum / bytes.size, partition) }
      .maxOption
      .collect {
        case (mean, partition) if mean > most || mean < least && mean * buckets > least =>
          Advice(partition, mean, better(mean, buckets))
      }
      .filter(_.better != buckets)

  private def better(mean: Long, buckets: Int): Int =
    math.min((mean * buckets + wished - 1) / wished, IndexKind.maxBuckets.toLong).toInt
}
