package hudilite.spark.read

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Reader of batches without some of their rows, see [[RowRemoval]]. Batches of which no row stays are
  * left out.
  * @param batches reader of all rows
  * @param remove  writes the indexes of the rows of a batch that go into an array, ascending, and
  *                returns their number; called once for each batch, in order
  * @param columns number of first columns that are returned
  * @param inOrder whether the rows that stay keep their order, at a higher price
  * @param partial has the rows that take the place of some that go, after `remove` */
private[read] final class Remaining(
    batches: PartitionReader[ColumnarBatch],
    remove: ColumnarBatch => Array[Int] => Int,
    columns: Int,
    inOrder: Boolean = false,
    partial: Option[PartialRows] = None
) extends PartitionReader[ColumnarBatch] {
  private var gone = Array.empty[Int]
  private var left = Option.empty[ColumnarBatch]
  private var others = Option.empty[PartitionReader[ColumnarBatch]]

  @tailrec override def next(): Boolean =
    if (others.nonEmpty) {
      left = others.filter(_.next()).map(_.get())
      if (left.isEmpty) closeOthers()
      left.nonEmpty || next()
    } else if (!batches.next()) false
    else {
      val batch = batches.get()
      if (gone.length < batch.numRows) gone = new Array[Int](batch.numRows)
      val count = remove(batch)(gone)
      val taken = partial.map(rows => rows -> rows.takenRows()).filter(_._2.nonEmpty)
      if (inOrder && taken.nonEmpty) {
        left = None
        others = taken.map { case (rows, of) =>
          rows.open(inPlace(batch, count, of), batch.numRows)
        }
      } else {
        others = taken.map { case (rows, of) => rows.open(of.iterator.map(_._2), of.size) }
        left = Option.when(count < batch.numRows) {
          if (inOrder) SelectedBatch.without(batch, gone, count, columns)
          else RowRemoval.from(batch, gone, count, columns)
        }
      }
      left.nonEmpty || next()
    }

  /** Rows of a batch in their order, with those that take the place of others. */
  private def inPlace(
      batch: ColumnarBatch,
      count: Int,
      taken: Seq[(Int, InternalRow)]
  ): Iterator[InternalRow] = {
    val of = taken.toMap
    val removed = gone.take(count).toSet
    (0 until batch.numRows).iterator
      .filter(row => !removed(row) || of.contains(row))
      .map(row => of.getOrElse(row, batch.getRow(row)))
  }

  private def closeOthers(): Unit = {
    others.foreach(_.close())
    others = None
  }

  override def get(): ColumnarBatch = left.getOrElse(throw new NoSuchElementException)

  override def close(): Unit = {
    closeOthers()
    batches.close()
  }
}

/** Chosen rows of a block, batch by batch.
  * @param sorted numbers of the rows in the block, ascending */
private[read] final class ChosenRows(sorted: Array[Int]) {
  private var first = 0
  private var at = 0

  /** Writes the indexes of the other rows of the next batch into an array, and returns their number. */
  def others(batch: ColumnarBatch)(rows: Array[Int]): Int = {
    var count = 0
    (0 until batch.numRows).foreach { row =>
      if (at < sorted.length && sorted(at) == first + row) at += 1
      else {
        rows(count) = row
        count += 1
      }
    }
    first += batch.numRows
    count
  }
}
