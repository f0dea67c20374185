package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.hudilite.SampledRows

/** Ranges of rows that follow each other in an order.
  * @param bounds last row of each range but the last one, ascending */
final private[repair] class RowRanges private (
    bounds: Array[InternalRow],
    ordering: Ordering[InternalRow]
) extends Serializable {

  /** Number of ranges. */
  def count: Int = bounds.length + 1

  /** Returns the number of a row's range, from 0. */
  def of(row: InternalRow): Int = {
    val found = java.util.Arrays.binarySearch(bounds, row, ordering)
    if (found < 0) -found - 1 else found
  }
}

private[repair] object RowRanges {

  /** Row of a sample, with the number of rows for which it stands. */
  type Weighted = (InternalRow, Float)

  /** Returns ranges with about the same number of rows, fewer if many rows are equal.
    * @param count number of ranges, 1 or more */
  def of(rows: Seq[Weighted], count: Int, ordering: Ordering[InternalRow]): RowRanges =
    new RowRanges(SampledRows.bounds(rows, count)(ordering), ordering)
}
