package hudilite.spark.read

import scala.annotation.tailrec

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Reader of chosen rows of batches. Batches without such a row are left out.
  * @param batches reader of all rows
  * @param choose  writes the indexes of the chosen rows of a batch into an array, and returns their
  *                number; called once for each batch, in order
  * @param columns number of first columns that are returned */
private[read] final class Remaining(
    batches: PartitionReader[ColumnarBatch],
    choose: ColumnarBatch => Array[Int] => Int,
    columns: Int
) extends PartitionReader[ColumnarBatch] {
  private var rows = Array.empty[Int]
  private var count = 0

  @tailrec override def next(): Boolean =
    if (!batches.next()) false
    else {
      val batch = batches.get()
      if (rows.length < batch.numRows) rows = new Array[Int](batch.numRows)
      count = choose(batch)(rows)
      count > 0 || next()
    }

  override def get(): ColumnarBatch = {
    val batch = batches.get()
    if (count == batch.numRows)
      new ColumnarBatch(Array.tabulate[ColumnVector](columns)(batch.column(_)), count)
    else SelectedBatch.of(batch, rows, count, columns)
  }

  override def close(): Unit = batches.close()
}

/** Chosen rows of a block, batch by batch.
  * @param sorted numbers of the rows in the block, ascending */
private[read] final class ChosenRows(sorted: Array[Int]) {
  private var first = 0
  private var at = 0

  /** Writes the indexes of the chosen rows of the next batch into an array, and returns their
    * number. */
  def within(batch: ColumnarBatch)(rows: Array[Int]): Int = {
    val end = first + batch.numRows
    var count = 0
    while (at < sorted.length && sorted(at) < end) {
      rows(count) = sorted(at) - first
      count += 1
      at += 1
    }
    first = end
    count
  }
}
