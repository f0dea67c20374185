package hudilite.spark.merge

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields

/** Rows of a sorted base file, of which whole row groups can be skipped without reading them (task
  * side).
  *
  * @param read  opens one row group
  * @param keyAt position of the record key column in what is read
  * @param holds whether a row group may contain a wanted row; others are skipped
  * @param done  called on close
  */
final class SeekableBaseFileRows(
    rowGroups: IndexedSeq[OldRowGroup],
    read: BlockMetaData => PartitionReader[ColumnarBatch],
    keyAt: Int,
    holds: BlockMetaData => Boolean,
    done: () => Unit
) extends BaseFileRows {
  private var current = -1 // row group
  private var reader = Option.empty[PartitionReader[ColumnarBatch]]
  private var batch = SeekableBaseFileRows.noBatch
  private var keys = Option.empty[ColumnVector]
  private var lastKey = UTF8String.EMPTY_UTF8 // of the batch
  private var batchStart = 0L // rows of the row group before the batch
  private var at = 0 // row in the batch
  nextRowGroup()

  override def hasRow: Boolean = current < rowGroups.size

  override def key: UTF8String = {
    load()
    keyOf(at)
  }

  override def row: InternalRow = {
    load()
    batch.getRow(at)
  }

  /** Returns how many rows of the file come before the current one. */
  def position: Long =
    if (hasRow) rowGroups(current).firstRow + batchStart + at
    else rowGroups.lastOption.fold(0L)(_.endRow)

  override def advance(): Unit = {
    load()
    at += 1
    if (at == batch.numRows) nextBatch()
  }

  /** Advances to the first row whose key is not less than `key`. Does not read row groups that end
    * before it. */
  def seek(key: UTF8String): Unit = {
    var found = false
    while (hasRow && !found)
      if (isUnread && rowGroups(current).keys.exists(_.max.compareTo(key) < 0)) nextRowGroup()
      else if (isBefore(key)) found = true
      else {
        load()
        if (lastKey.compareTo(key) < 0) nextBatch()
        else {
          at = firstNotLess(key)
          found = true
        }
      }
  }

  /** Whether the current row has this key. Reads nothing if the row group begins after it. */
  def isAt(key: UTF8String): Boolean = hasRow && !isBefore(key) && this.key == key

  override def close(): Unit = {
    endRowGroup()
    done()
  }

  private def endRowGroup(): Unit = {
    reader.foreach(_.close())
    reader = None
  }

  private def isUnread: Boolean = reader.isEmpty

  /** Whether the key is known to come before all rows of a row group that has not been read yet. */
  private def isBefore(key: UTF8String): Boolean =
    isUnread && rowGroups(current).keys.exists(range => key.compareTo(range.min) < 0)

  private def keyOf(row: Int): UTF8String = keys.fold(UTF8String.EMPTY_UTF8)(_.getUTF8String(row))

  /** Returns the first row, from the current one on, whose key is not less than `key`; the last key
    * of the batch must not be less. Searches in doubling steps first, because the row is usually
    * near. */
  private def firstNotLess(key: UTF8String): Int = {
    val last = batch.numRows - 1
    var low = at
    var step = 1
    while (low + step <= last && keyOf(low + step - 1).compareTo(key) < 0) {
      low += step
      step *= 2
    }
    var high = math.min(low + step - 1, last)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (keyOf(middle).compareTo(key) < 0) low = middle + 1 else high = middle
    }
    low
  }

  private def load(): Unit = if (isUnread) {
    reader = Some(read(rowGroups(current).block))
    batchStart = 0
    batch = SeekableBaseFileRows.noBatch
    nextBatch()
  }

  private def nextBatch(): Unit = {
    batchStart += batch.numRows
    at = 0
    reader.filter(_.next()) match {
      case Some(open) =>
        batch = open.get()
        keys = Some(batch.column(keyAt))
        lastKey = keyOf(batch.numRows - 1)
      case None => nextRowGroup()
    }
  }

  private def nextRowGroup(): Unit = {
    endRowGroup()
    batchStart = 0
    batch = SeekableBaseFileRows.noBatch
    at = 0
    current += 1
    while (current < rowGroups.size && !holds(rowGroups(current).block)) current += 1
  }
}

object SeekableBaseFileRows {
  private val noBatch = new ColumnarBatch(Array.empty[ColumnVector], 0)

  /** Opens the columns of a sorted file that decide which rows match.
    * @param isVisit whether there are no source or arriving rows: rows that the clauses' filters
    *                exclude may then be skipped
    * @param done    called on close */
  def of(
      facts: MergeTaskFacts,
      file: OldBaseFile,
      isVisit: Boolean,
      done: () => Unit
  ): SeekableBaseFileRows = new SeekableBaseFileRows(
    file.rowGroups,
    block => facts.matchFactory.ofRowGroup(file.slice, file.opened, block),
    facts.matchSchema.fieldIndex(MetaFields.RecordKey),
    if (isVisit) facts.matchFactory.mayPass(file.opened) else _ => true,
    done
  )
}
