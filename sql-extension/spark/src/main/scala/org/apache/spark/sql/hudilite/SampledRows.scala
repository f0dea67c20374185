package org.apache.spark.sql.hudilite

import scala.collection.mutable

import org.apache.spark.RangePartitioner
import org.apache.spark.sql.catalyst.InternalRow

/** Ranges of about the same number of rows, by sampled rows. Bridge to the private[spark] member
  * `RangePartitioner.determineBounds`, with which Spark partitions by range. */
object SampledRows {

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
