package hudilite.spark.write

import org.apache.parquet.column.ColumnWriteStore
import org.apache.parquet.io.ColumnIOFactory
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeRow}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Receiver of the rows of a row group, which writes them to the writers of its columns.
  *
  * The rows of one call must not go beyond the next check of the page sizes, because a sink may
  * write all rows of a call column after column. */
sealed private[write] trait RowSink {
  def write(row: InternalRow): Unit

  /** Writes the rows from `from` until `until` (exclusive). */
  def write(batch: ColumnarBatch, from: Int, until: Int): Unit

  /** Writes one row, combined from batch and patch; see `BaseFileWriter`. */
  def write(batch: ColumnarBatch, at: Int, patch: NewRow, places: Array[Int]): Unit

  /** Encodes all rows so far, so that their batch may change. */
  def release(): Unit

  /** Buffered bytes, encoded or not. */
  def bufferedSize: Long

  /** Ends the columns; nothing may be written afterwards. */
  def flush(): Unit
}

/** Writes flat columns, column by column. Rows are held and encoded a piece of a page at a time.
  * @param encoders encoders of `columns`, in the same order
  * @param step     rows between two checks of the page sizes, see [[PageEncodings.step]] */
final private[write] class ByColumns(
    encoders: Array[ColumnEncoder],
    columns: Array[FlatColumn],
    step: Int
) extends RowSink {
  private val held = new HeldRows(step)
  private var rows = 0L

  override def write(row: InternalRow): Unit = {
    row match {
      case unsafe: UnsafeRow => held.add(unsafe)
      case created: NewRow =>
        if (!held.takes(created)) release()
        held.add(created)
      case others =>
        release()
        encode(others)
    }
    wrote(1)
  }

  override def write(batch: ColumnarBatch, from: Int, until: Int): Unit = if (from < until) {
    if (!held.takes(batch)) release()
    held.add(batch, from, until)
    wrote(until - from)
  }

  override def write(
      batch: ColumnarBatch,
      at: Int,
      patch: NewRow,
      places: Array[Int]
  ): Unit = {
    if (!held.takes(batch, patch, places)) release()
    held.add(batch, at, patch, places)
    wrote(1)
  }

  override def release(): Unit = if (!held.isEmpty) {
    var j = 0
    while (j < encoders.length) {
      held.write(j, encoders(j))
      j += 1
    }
    held.clear()
  }

  override def bufferedSize: Long = {
    release()
    columns.map(_.bufferedSize).sum
  }

  override def flush(): Unit = {
    release()
    columns.foreach(_.end())
  }

  private def encode(row: InternalRow): Unit = {
    var j = 0
    while (j < encoders.length) {
      encoders(j).write(row, j)
      j += 1
    }
  }

  private def wrote(number: Int): Unit = {
    rows += number
    val isChecked = rows % step == 0
    if (isChecked || held.isLarge) release()
    if (isChecked) columns.foreach(_.endPageIfFull())
  }
}

/** Writes columns of all types, row by row, by Spark's Parquet write support.
  * @param support for exactly the columns of `message` */
final private[write] class ByRows(
    support: RowSupport,
    message: MessageType,
    schema: StructType,
    store: ColumnWriteStore
) extends RowSink {
  private val consumer = new ColumnIOFactory(false).getColumnIO(message).getRecordWriter(store)
  private val patched = new GenericInternalRow(schema.length)

  support.start(consumer)

  override def write(row: InternalRow): Unit = support.write(row)

  override def write(batch: ColumnarBatch, from: Int, until: Int): Unit =
    Iterator.range(from, until).foreach(at => support.write(batch.getRow(at)))

  override def write(
      batch: ColumnarBatch,
      at: Int,
      patch: NewRow,
      places: Array[Int]
  ): Unit = {
    val old = batch.getRow(at)
    schema.fields.indices.foreach { j =>
      val (from, place) = if (places(j) >= 0) (patch, places(j)) else (old, j)
      if (from.isNullAt(place)) patched.setNullAt(j)
      else patched.update(j, from.get(place, schema(j).dataType))
    }
    support.write(patched)
  }

  override def release(): Unit = ()

  override def bufferedSize: Long = store.getBufferedSize

  override def flush(): Unit = {
    consumer.flush()
    store.flush()
  }
}
