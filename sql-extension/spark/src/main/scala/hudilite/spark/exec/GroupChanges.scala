package hudilite.spark.exec

import scala.collection.mutable.ArrayBuilder

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** What a merge changes in one row group, in the order of its rows (task side).
  *
  * Rows that come in are kept as bytes, and on the disk where they are many.
  */
final class GroupChanges {
  import GroupChanges._

  private val rows = new ArrayBuilder.ofInt
  private val kinds = new ArrayBuilder.ofByte
  private val patches, inserts = HeldRows.open()
  private var count, deletes, arrivals = 0
  private var least = Int.MaxValue

  def isEmpty: Boolean = count == 0

  /** Whether no row comes or goes. */
  def isUpdatesOnly: Boolean = arrivals == 0 && deletes == 0

  /** Whether rows come at the end of `rows` rows, and nothing else happens. */
  def isAppend(rows: Long): Boolean = arrivals == count && least >= rows

  /** How many rows there are more than before. */
  def growth: Long = arrivals.toLong - deletes

  /** @param row   of the row group
    * @param patch what differs */
  def update(row: Int, patch: UnsafeRow): Unit = {
    patches.add(patch)
    note(row, Update)
  }

  def delete(row: Int): Unit = {
    deletes += 1
    note(row, Delete)
  }

  /** @param row    before which it comes, or the number of rows
    * @param values of all columns */
  def insert(row: Int, values: UnsafeRow): Unit = {
    inserts.add(values)
    arrivals += 1
    note(row, Insert)
  }

  /** Tells all of it in turn. */
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

object GroupChanges {
  private val Update: Byte = 0
  private val Delete: Byte = 1
  private val Insert: Byte = 2

  /** Takes changes in; a row is valid during the call. */
  trait Visitor {
    def update(row: Int, patch: InternalRow): Unit
    def delete(row: Int): Unit
    def insert(row: Int, values: InternalRow): Unit
  }
}
