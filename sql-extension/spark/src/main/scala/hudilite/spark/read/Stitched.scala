package hudilite.spark.read

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** The rows of a skeleton and of its source side by side, the same number of each, in batches: row
  * i of the one belongs to row i of the other (task side).
  *
  * Files that are cut alike come in batches of the same rows, and these are handed on as they are.
  * Source: hudi-format §8.3, design §4.
  * @param meta    of the skeleton, where it is read; further rows behind those of `data` are left
  * @param data    of the source
  * @param place   of the first row of `data`; moves on with each batch
  * @param arrange columns of a row from the vectors of `data`, and of `meta` where that is read
  * @param broken  thrown where the source has rows that the skeleton lacks */
private[read] final class Stitched(
    meta: Option[RowCursor],
    data: RowCursor,
    place: RowPlace,
    arrange: Seq[Int => ColumnVector] => Array[ColumnVector],
    broken: => Throwable
) extends PartitionReader[ColumnarBatch] {
  private val cursors = data +: meta.toSeq
  private var rows = 0
  private var batch = new ColumnarBatch(Array.empty[ColumnVector])
  private var isWhole = false // the batch shows the readers' own vectors from their first rows on

  override def next(): Boolean = {
    cursors.foreach(_.skip(rows.toLong))
    place.first += rows
    rows = 0
    val hasRows = data.hasRows
    if (hasRows) {
      if (!meta.forall(_.hasRows)) throw broken
      val areNew = cursors.map(_.isNew).contains(true)
      val areWhole = cursors.forall(_.position == 0)
      if (areNew || !isWhole || !areWhole)
        batch = new ColumnarBatch(arrange(cursors.map(cursor => cursor.column(_))))
      isWhole = areWhole
      rows = cursors.map(_.left).min
      batch.setNumRows(rows)
    }
    hasRows
  }

  override def get(): ColumnarBatch = batch

  override def close(): Unit =
    try meta.foreach(_.close())
    finally data.close()
}

/** Where a reader of batches stands. */
private[read] final class RowCursor(reader: PartitionReader[ColumnarBatch]) {
  private var batch = Option.empty[ColumnarBatch]
  private var at = 0
  private var changed = false

  /** Row of its batch. */
  def position: Int = at

  /** Rows of its batch from there on. */
  def left: Int = batch.fold(0)(_.numRows - at)

  /** Whether there are more rows; the next batch is read where its own is at its end. */
  def hasRows: Boolean = {
    var more = true
    while (left == 0 && more) {
      more = reader.next()
      if (more) load(reader.get())
    }
    left > 0
  }

  /** Whether its batch is another object than when this was asked before. */
  def isNew: Boolean = {
    val was = changed
    changed = false
    was
  }

  /** A column of its batch from its row on. */
  def column(ordinal: Int): ColumnVector = {
    val vector = batch.fold(throw new NoSuchElementException("no batch"))(_.column(ordinal))
    if (at == 0) vector else new ShiftedVector(vector, at)
  }

  /** Goes on by some rows, or to the end. */
  def skip(rows: Long): Unit = {
    var toGo = rows
    while (toGo > 0 && hasRows) {
      val step = math.min(toGo, left.toLong).toInt
      at += step
      toGo -= step
    }
  }

  def close(): Unit = reader.close()

  private def load(next: ColumnarBatch): Unit = {
    if (!batch.exists(_ eq next)) changed = true
    batch = Some(next)
    at = 0
  }
}
