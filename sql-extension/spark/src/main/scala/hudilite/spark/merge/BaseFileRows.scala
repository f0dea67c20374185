package hudilite.spark.merge

import java.io.Closeable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Literal,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields
import hudilite.spark.read.{SelectedBatch, SliceReaderFactory}
import hudilite.view.FileSlice

/** Rows of one file slice in the order of their record keys (task side).
  *
  * `row` and `key` are valid until `advance`. If the row has `_hoodie_file_name`, its value is the
  * new file's name.
  */
trait BaseFileRows {
  def hasRow: Boolean
  def key: UTF8String
  def row: InternalRow
  def advance(): Unit
  def close(): Unit

  /** Batch that has the current row, with all columns. It stays as it is until `advance` leaves its last row.
    * Without rows if the current row is in none. */
  def currentBatch: ColumnarBatch = BaseFileRows.noBatch

  /** Index of the current row in [[currentBatch]]. */
  def indexInBatch: Int = 0

  /** Whether the current row is the last one of [[currentBatch]] that is read. */
  def endsBatch: Boolean = false
}

object BaseFileRows {
  private[merge] val noBatch = new ColumnarBatch(Array.empty[ColumnVector], 0)

  val none: BaseFileRows = new BaseFileRows {
    def hasRow: Boolean = false
    def key: UTF8String = throw new NoSuchElementException("no base file")
    def row: InternalRow = throw new NoSuchElementException("no base file")
    def advance(): Unit = ()
    def close(): Unit = ()
  }

  /** Opens a file slice.
    *
    * @param schema  columns that the factory reads; contains `_hoodie_record_key`
    * @param sorted  whether the rows of the base file are already in key order; if false, they are
    *                sorted here
    * @param newName value of `_hoodie_file_name`, if the schema has that column
    */
  def open(
      factory: SliceReaderFactory,
      slice: FileSlice,
      schema: StructType,
      sorted: Boolean,
      newName: UTF8String
  ): BaseFileRows = {
    val columns = OldRowColumns(schema, newName)
    if (sorted && !slice.isOnlyBase) {
      val apart = factory.openApart(slice)
      val ofLogs = columns.inOrder(rowsOf(apart.ofLogs), apart.ofLogs)
      new OldRowsWithLogs(columns.asStored(apart.ofBase), ofLogs, apart.isBeaten)
    } else if (sorted) inAnyOrder(factory, slice, schema, newName)
    else
      factory.openBatches(slice) match {
        case Some(batches) => columns.inOrder(rowsOf(batches), batches)
        case None =>
          val rows = factory.openRows(slice)
          columns.inOrder(iterate(rows), rows)
      }
  }

  /** Opens a file slice; its rows may come in any order. Parameters as of [[open]]. */
  def inAnyOrder(
      factory: SliceReaderFactory,
      slice: FileSlice,
      schema: StructType,
      newName: UTF8String
  ): BaseFileRows = {
    val columns = OldRowColumns(schema, newName)
    factory.openBatches(slice).fold(columns.asRead(factory.openRows(slice)))(columns.asStored)
  }

  /** Columns of old rows.
    * @param newName value of `_hoodie_file_name`, if the schema has that column */
  private final case class OldRowColumns(schema: StructType, newName: UTF8String) {
    private val keyAt = schema.fieldIndex(MetaFields.RecordKey)
    private val nameAt = placeOfName(schema)

    def asStored(reader: PartitionReader[ColumnarBatch]): BaseFileRows =
      new ColumnarOldRows(reader, keyAt, nameAt, newName)

    def asRead(reader: PartitionReader[InternalRow]): BaseFileRows =
      new IteratorOldRows(named(iterate(reader), schema, newName), keyAt, reader)

    /** Sorts the rows of a reader by their keys. */
    def inOrder(rows: Iterator[InternalRow], reader: Closeable): BaseFileRows = new IteratorOldRows(
      SpillingSort.byColumn(named(rows, schema, newName), schema, keyAt),
      keyAt,
      reader
    )
  }

  private def placeOfName(schema: StructType): Option[Int] =
    Some(schema.fieldNames.indexOf(MetaFields.FileName)).filter(_ >= 0)

  private def rowsOf(reader: PartitionReader[ColumnarBatch]): Iterator[InternalRow] =
    iterate(reader).flatMap { batch =>
      Iterator.range(0, batch.numRows).map(batch.getRow(_): InternalRow)
    }

  private def iterate[T](reader: PartitionReader[T]): Iterator[T] = {
    TaskContext.get().addTaskCompletionListener[Unit](_ => reader.close())
    Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.get())
  }

  /** Returns rows with the new file's name; each is valid until the next one.
    * @param schema columns of the result; the rows may have more behind them */
  private[spark] def named(
      rows: Iterator[InternalRow],
      schema: StructType,
      newName: UTF8String
  ): Iterator[UnsafeRow] = {
    val nameAt = placeOfName(schema)
    val columns = schema.fields.zipWithIndex.map { case (field, i) =>
      if (nameAt.contains(i)) Literal(newName, StringType)
      else
        BoundReference(i, field.dataType, nullable = true) // until the base is read, rows have gaps
    }
    val projection = UnsafeProjection.create(columns.toSeq)
    rows.map(row => projection(row))
  }
}

/** Rows on the reader's own vectors; the file name is one constant vector. */
final private class ColumnarOldRows(
    reader: PartitionReader[ColumnarBatch],
    keyAt: Int,
    nameAt: Option[Int],
    newName: UTF8String
) extends BaseFileRows {
  private var source: Option[ColumnarBatch] = None
  private var batch: ColumnarBatch = BaseFileRows.noBatch
  private var whole: ColumnarBatch = BaseFileRows.noBatch // `batch` and the rows left out of it
  private var places: Int => Int = identity[Int] // from a row of `batch` to that of `whole`
  private var keys: Option[ColumnVector] = None
  private var position = -1
  private var current: UTF8String = UTF8String.EMPTY_UTF8
  TaskContext.get().addTaskCompletionListener[Unit](_ => reader.close())
  advance()

  override def hasRow: Boolean = position >= 0
  override def key: UTF8String = current
  override def row: InternalRow = batch.getRow(position)
  override def currentBatch: ColumnarBatch = whole
  override def indexInBatch: Int = places(position)
  override def endsBatch: Boolean = position == batch.numRows - 1

  override def advance(): Unit = {
    position += 1
    while (position >= 0 && position >= batch.numRows) {
      if (reader.next()) load(reader.get()) else position = -1
    }
    if (position >= 0) keys.foreach(k => current = k.getUTF8String(position))
  }

  override def close(): Unit = reader.close()

  private def load(next: ColumnarBatch): Unit = {
    if (!source.exists(_ eq next)) {
      source = Some(next)
      batch = renamed(next, next.numCols)
      keys = Some(next.column(keyAt))
      next match {
        case view: SelectedBatch =>
          whole = renamed(view.whole, next.numCols)
          whole.setNumRows(view.whole.numRows)
          places = view.place(_)
        case _ =>
          whole = batch
          places = identity[Int]
      }
    }
    batch.setNumRows(next.numRows)
    position = 0
  }

  /** @param columns number of columns, the first ones of the batch */
  private def renamed(of: ColumnarBatch, columns: Int): ColumnarBatch = {
    val vectors = Array.tabulate(columns)(of.column)
    nameAt.foreach { i =>
      val constant = new ConstantColumnVector(1, StringType)
      constant.setUtf8String(newName)
      vectors(i) = constant
    }
    new ColumnarBatch(vectors)
  }
}

final private class IteratorOldRows(rows: Iterator[UnsafeRow], keyAt: Int, reader: Closeable)
    extends BaseFileRows {
  private var current: Option[UnsafeRow] = rows.nextOption()

  override def hasRow: Boolean = current.nonEmpty
  override def row: InternalRow = current.get
  override def key: UTF8String = row.getUTF8String(keyAt)
  override def advance(): Unit = current = rows.nextOption()
  override def close(): Unit = reader.close()
}

/** Rows of a base and of the log files over it, which have no key in common.
  * @param isBeaten whether the base has a row for a key of the log files that readers prefer; known
  *                 when `base` has come to that key */
final private class OldRowsWithLogs(
    base: BaseFileRows,
    logs: BaseFileRows,
    isBeaten: UTF8String => Boolean
) extends BaseFileRows {
  private var current = next()

  override def hasRow: Boolean = current.hasRow
  override def key: UTF8String = current.key
  override def row: InternalRow = current.row
  override def currentBatch: ColumnarBatch = current.currentBatch
  override def indexInBatch: Int = current.indexInBatch
  override def endsBatch: Boolean = current.endsBatch
  override def advance(): Unit = {
    current.advance()
    current = next()
  }

  override def close(): Unit = {
    base.close()
    logs.close()
  }

  private def next(): BaseFileRows = {
    while (isLogNext && isBeaten(logs.key)) logs.advance()
    if (isLogNext) logs else base
  }

  private def isLogNext: Boolean =
    logs.hasRow && (!base.hasRow || logs.key.compareTo(base.key) <= 0)
}
