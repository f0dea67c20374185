package hudilite.spark.merge

import hudilite.format.{BucketCounts, BucketLayout}
import hudilite.view.FileSlice

/** Buckets of one partition in a snapshot (task side).
  * @param slices slice of each bucket that has a file group, by its number */
private[spark] final class PartitionBuckets(
    counts: BucketCounts,
    val slices: Map[Int, FileSlice]
) {

  /** Which bucket a key belongs to. */
  lazy val layout: BucketLayout = new BucketLayout(counts, slices.values.flatMap(_.bucket))
}
