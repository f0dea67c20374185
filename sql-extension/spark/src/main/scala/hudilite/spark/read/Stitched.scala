package hudilite.spark.read

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Reader that pairs the rows of a skeleton with those of its source file by position: row i of one
  * file belongs to row i of the other (task side).
  *
  * If both files have equal row groups, their batches contain the same rows, and their vectors are
  * passed on unchanged.
  * Source: hudi-format §8.3, design §4.
  * @param meta    rows of the skeleton, if it is read; more rows than `data` has are ignored
  * @param data    rows of the source file
  * @param place   position of the current batch's first row in `data`; updated for each batch
  * @param arrange returns the columns, from the vectors of `data` and, if read, of `meta`
  * @param broken  error to throw if the source file has rows that the skeleton lacks */
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
  private var isWhole = false // whether the batch has the readers' own vectors, not shifted

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

/** Position of a reader of batches. */
private[read] final class RowCursor(reader: PartitionReader[ColumnarBatch]) {
  private var batch = Option.empty[ColumnarBatch]
  private var at = 0
  private var changed = false

  /** Index of the current row in its batch. */
  def position: Int = at

  /** Number of rows from the current one to the end of its batch. */
  def left: Int = batch.fold(0)(_.numRows - at)

  /** Whether there are more rows; reads the next batch if the current one is at its end. */
  def hasRows: Boolean = {
    var more = true
    while (left == 0 && more) {
      more = reader.next()
      if (more) load(reader.get())
    }
    left > 0
  }

  /** Whether the batch is another object than at the previous call of this method. */
  def isNew: Boolean = {
    val was = changed
    changed = false
    was
  }

  /** Returns a column of the batch, from the current row on. */
  def column(ordinal: Int): ColumnVector = {
    val vector = batch.fold(throw new NoSuchElementException("no batch"))(_.column(ordinal))
    if (at == 0) vector else new ShiftedVector(vector, at)
  }

  /** Skips some rows, at most to the end. */
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
