package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.write.RecordBuffer

/** Buffer of the changes that a merge makes in one row group, in the order of its rows (task side).
  *
  * New values are kept as bytes, and spill to disk if there are many.
  */
final class RowGroupChanges {
  import RowGroupChanges._

  private val records = new RecordBuffer(mostChunks)
  private var updated, inserted = new UnsafeRow(0)
  private var count, deletes, arrivals = 0
  private var least = Int.MaxValue

  def isEmpty: Boolean = count == 0

  /** Whether no row is inserted or deleted. */
  def isUpdatesOnly: Boolean = arrivals == 0 && deletes == 0

  /** Whether all changes are inserts after the last of the row group's `rows` rows. */
  def isAppend(rows: Long): Boolean = arrivals == count && least >= rows

  /** Whether one of the row group's `rows` rows stays as it is. */
  def leaves(rows: Long): Boolean = count - arrivals < rows

  /** Returns how many more rows the row group has after the changes; negative if it has fewer. */
  def growth: Long = arrivals.toLong - deletes

  /** @param row    number in the row group
    * @param values new values of the columns that change */
  def update(row: Int, values: UnsafeRow): Unit = {
    updated = like(values, updated)
    records.add(note(row, Update), values)
  }

  def delete(row: Int): Unit = {
    deletes += 1
    records.add(note(row, Delete), UTF8String.EMPTY_UTF8)
  }

  /** @param row    number of the row before which it is inserted, or the number of rows
    * @param key    its record key
    * @param values values of all table columns */
  def insert(row: Int, key: UTF8String, values: UnsafeRow): Unit = {
    inserted = like(values, inserted)
    val number = note(row, Insert)
    records.add(number, key)
    records.add(number, values)
    arrivals += 1
  }

  /** Passes all changes to a visitor, in order. */
  def foreach(to: Visitor): Unit = {
    val all = records.records
    while (all.next()) {
      val row = all.number >> kindBits
      val kind = all.number & Insert
      if (kind == Update) {
        all.pointTo(updated)
        to.update(row, updated)
      } else if (kind == Delete) to.delete(row)
      else {
        val key = all.text.clone()
        all.next(): Unit
        all.pointTo(inserted)
        to.insert(row, key, inserted)
      }
    }
  }

  def clear(): Unit = {
    records.clear()
    count = 0
    deletes = 0
    arrivals = 0
    least = Int.MaxValue
  }

  private def note(row: Int, kind: Int): Int = {
    count += 1
    least = math.min(least, row)
    Math.multiplyExact(row, 1 << kindBits) | kind
  }
}

object RowGroupChanges {
  private val kindBits = 2
  private val Update = 0
  private val Delete = 1
  private val Insert = 3
  private val mostChunks = 64 // of changes in memory, 16 MiB

  /** A row with as many columns as `row`: `before`, if that has as many. */
  private def like(row: UnsafeRow, before: UnsafeRow): UnsafeRow =
    if (row.numFields == before.numFields) before else new UnsafeRow(row.numFields)

  /** Receiver of changes. Values are valid during the call only. */
  trait Visitor {
    def update(row: Int, values: UnsafeRow): Unit
    def delete(row: Int): Unit
    def insert(row: Int, key: UTF8String, values: UnsafeRow): Unit
  }
}
