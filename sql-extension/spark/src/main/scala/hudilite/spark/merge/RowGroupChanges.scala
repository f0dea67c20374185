package hudilite.spark.merge

import scala.collection.mutable.ArrayBuilder

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import hudilite.spark.write.SpillableRows

/** Buffer of the changes that a merge makes in one row group, in the order of its rows (task side).
  *
  * Patches and inserted rows are kept as bytes, and spill to disk if there are many.
  */
final class RowGroupChanges {
  import RowGroupChanges._

  private val rows = new ArrayBuilder.ofInt
  private val kinds = new ArrayBuilder.ofByte
  private val patches, inserts = SpillableRows.open()
  private var count, deletes, arrivals = 0
  private var least = Int.MaxValue

  def isEmpty: Boolean = count == 0

  /** Whether no row is inserted or deleted. */
  def isUpdatesOnly: Boolean = arrivals == 0 && deletes == 0

  /** Whether all changes are inserts after the last of the row group's `rows` rows. */
  def isAppend(rows: Long): Boolean = arrivals == count && least >= rows

  /** Returns how many more rows the row group has after the changes; negative if it has fewer. */
  def growth: Long = arrivals.toLong - deletes

  /** @param row   number in the row group
    * @param patch new values of the columns that change */
  def update(row: Int, patch: UnsafeRow): Unit = {
    patches.add(patch)
    note(row, Update)
  }

  def delete(row: Int): Unit = {
    deletes += 1
    note(row, Delete)
  }

  /** @param row    number of the row before which it is inserted, or the number of rows
    * @param values values of all columns */
  def insert(row: Int, values: UnsafeRow): Unit = {
    inserts.add(values)
    arrivals += 1
    note(row, Insert)
  }

  /** Passes all changes to a visitor, in order. */
  def foreach(to: Visitor): Unit = {
    val (at, of) = (rows.result(), kinds.result())
    val (patched, inserted) = (patches.generateIterator(), inserts.generateIterator())
    var i = 0
    while (i < at.length) {
      if (of(i) == Update) to.update(at(i), patched.next())
      else if (of(i) == Delete) to.delete(at(i))
      else to.insert(at(i), inserted.next())
      i += 1
    }
  }

  def clear(): Unit = {
    rows.clear()
    kinds.clear()
    patches.clear()
    inserts.clear()
    count = 0
    deletes = 0
    arrivals = 0
    least = Int.MaxValue
  }

  private def note(row: Int, kind: Byte): Unit = {
    rows += row
    kinds += kind
    count += 1
    least = math.min(least, row)
  }
}

object RowGroupChanges {
  private val Update: Byte = 0
  private val Delete: Byte = 1
  private val Insert: Byte = 2

  /** Receiver of changes. A patch or row is valid during the call only. */
  trait Visitor {
    def update(row: Int, patch: UnsafeRow): Unit
    def delete(row: Int): Unit
    def insert(row: Int, values: UnsafeRow): Unit
  }
}
