package org.apache.spark.sql.hudilite

import scala.collection.mutable

import org.apache.spark.RangePartitioner
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

/** Sample of rows, and ranges of about the same number of rows by it. Bridge to the private[spark]
  * members `RangePartitioner.sketch` and `RangePartitioner.determineBounds`, with which Spark
  * partitions by range. */
object SampledRows {

  /** Samples the rows of each partition of an RDD, in one job.
    * @param rows each row an object of its own
    * @param most largest number of sampled rows of a partition
    * @return for each partition its index, its number of rows, and the sampled rows */
  def of(rows: RDD[InternalRow], most: Int): Seq[(Int, Long, Array[InternalRow])] =
    RangePartitioner.sketch(rows, most)._2.toSeq

  /** Returns the last row of each range but the last one, ascending; fewer if many rows are equal.
    * @param weighted sampled rows, each with the number of rows for which it stands
    * @param ranges   number of ranges, 1 or more */
  def bounds(weighted: Seq[(InternalRow, Float)], ranges: Int)(
      ordering: Ordering[InternalRow]
  ): Array[InternalRow] = {
    implicit val order: Ordering[InternalRow] = ordering
    RangePartitioner.determineBounds(mutable.ArrayBuffer.from(weighted), ranges)
  }
}
