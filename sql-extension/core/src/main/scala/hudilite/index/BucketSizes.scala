package hudilite.index

import hudilite.format.IndexKind

/** How large the files of a table's buckets should be. The band is that within which stock Hudi's
  * consistent hashing neither splits nor merges a bucket, for files of its usual size.
  * Source: hoodie.parquet.max.file.size, hoodie.bucket.index.merge.threshold,
  * hoodie.bucket.index.split.threshold; peers C1.8. */
object BucketSizes {

  /** Bytes that the file of a bucket should have. */
  val wished: Long = 120L << 20

  /** Bytes below which buckets cost more than they give. */
  val least: Long = wished / 5

  /** Bytes above which a bucket should be several. */
  val most: Long = wished * 2

  /** @param partition relative path of the partition whose files are the largest
    * @param mean      bytes of one of them
    * @param better    number of buckets that would give them the wished size */
  final case class Advice(partition: String, mean: Long, better: Int)

  /** What to say of files of a table's buckets, of each partition some.
    *
    * The partition with the largest files speaks for the table: others may have begun just now. One
    * whose bytes fit into a single bucket of the least size is small however it is cut.
    * @param files   partition and bytes of each
    * @param buckets number of buckets of a partition
    * @return nothing where the mean is in the band */
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
