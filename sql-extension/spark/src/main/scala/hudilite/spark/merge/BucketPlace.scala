package hudilite.spark.merge

import org.apache.spark.unsafe.types.UTF8String

/** Bucket of a partition.
  * @param number number of the bucket among those of the partition */
final case class BucketPlace(partition: UTF8String, number: Int)

object BucketPlace {

  /** Order by partition path, then by number. */
  val order: Ordering[BucketPlace] = (a, b) => {
    val byPartition = a.partition.compareTo(b.partition)
    if (byPartition != 0) byPartition else Integer.compare(a.number, b.number)
  }
}
