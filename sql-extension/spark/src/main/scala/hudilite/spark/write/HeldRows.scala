package hudilite.spark.write

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Rows that wait to be encoded column by column: stretches of one batch, rows of it that are
  * patched, and rows of their own (task side). The batch must not change meanwhile; patches and
  * rows are copied. The patches and the new rows are those of one file.
  * @param most maximum number of rows */
final private[write] class HeldRows(most: Int) {
  import HeldRows._

  private val froms, untils = new Array[Int](most) // rows in the batch, or the kind of an own row
  private val copies = new Array[Int](most) // number of the copied row, or `none`
  private val offsets, sizes = new Array[Int](3 * most) // of what is copied
  private var row, values, patch = new UnsafeRow(0)
  private var places = Array.empty[Int]
  private var batch = Option.empty[ColumnarBatch]
  private var created = Option.empty[NewRow]
  private var texts = Array.empty[Array[Byte]] // of the meta columns of new rows
  private var bytes = Array.emptyByteArray
  private var entries, copied, used = 0

  def isEmpty: Boolean = entries == 0

  /** Whether the copied rows are many bytes. */
  def isLarge: Boolean = used >= mostBytes

  /** Whether rows of a batch can be added. */
  def takes(of: ColumnarBatch): Boolean = batch.forall(_ eq of)

  /** Whether rows of a batch with patches of such a form can be added. */
  def takes(of: ColumnarBatch, patch: NewRow, places: Array[Int]): Boolean =
    takes(of) && takes(patch) && (this.places.isEmpty || (this.places eq places))

  def takes(of: NewRow): Boolean = created.forall(_ eq of)

  def add(of: ColumnarBatch, from: Int, until: Int): Unit = {
    if (batch.isEmpty) batch = Some(of)
    note(from, until, none)
  }

  /** @param at     index of the row in the batch
    * @param places for each column, the ordinal of its value in the patch; negative if the batch has
    *               the value */
  def add(of: ColumnarBatch, at: Int, changed: NewRow, places: Array[Int]): Unit = {
    if (batch.isEmpty) batch = Some(of)
    know(changed)
    patch = like(changed.values, patch)
    this.places = places
    note(at, at + 1, copy(changed.values))
    copy(changed.text(NewRow.sequenceAt)): Unit
  }

  def add(of: UnsafeRow): Unit = {
    row = like(of, row)
    note(whole, whole, copy(of))
  }

  def add(of: NewRow): Unit = {
    know(of)
    values = like(of.values, values)
    note(fresh, fresh, copy(of.values))
    copy(of.text(NewRow.sequenceAt))
    copy(of.text(NewRow.keyAt))
  }

  /** Writes the values of one column. */
  def write(column: Int, to: ColumnEncoder): Unit = {
    var i = 0
    while (i < entries)
      if (froms(i) == fresh) i = writeFresh(i, column, to)
      else if (froms(i) == whole) {
        to.write(pointed(row, copies(i)), column)
        i += 1
      } else i = writeBatch(i, column, to)
  }

  def clear(): Unit = {
    entries = 0
    copied = 0
    used = 0
    batch = None
    created = None
    places = Array.empty
    if (bytes.length > 2 * mostBytes) bytes = Array.emptyByteArray
  }

  /** Writes a column of one or several adjacent new rows.
    * @return number of the first entry that is not written */
  private def writeFresh(entry: Int, column: Int, to: ColumnEncoder): Int = {
    val copy = copies(entry)
    var end = entry + 1
    if (column >= NewRow.metaColumns)
      to.write(pointed(values, copy), column - NewRow.metaColumns)
    else if (column == NewRow.sequenceAt) to.write(bytes, offsets(copy + 1), sizes(copy + 1), 1)
    else if (column == NewRow.keyAt) to.write(bytes, offsets(copy + 2), sizes(copy + 2), 1)
    else {
      while (end < entries && froms(end) == fresh) end += 1
      to.write(texts(column), 0, texts(column).length, end - entry)
    }
    end
  }

  /** Writes a column of a patched row, or of adjacent rows that have its value in the batch.
    * @return number of the first entry that is not written */
  private def writeBatch(entry: Int, column: Int, to: ColumnEncoder): Int = {
    val place = if (places.isEmpty) none else places(column)
    if (place >= 0 && copies(entry) != none) writePatch(entry, place, to)
    else {
      var end = entry + 1
      while (end < entries && froms(end) == untils(end - 1) && (place < 0 || copies(end) == none))
        end += 1
      batch.foreach(of => to.write(of.column(column), froms(entry), untils(end - 1)))
      end
    }
  }

  /** Writes a value of a patch, or of adjacent ones if it is the same in all.
    * @return number of the first entry that is not written */
  private def writePatch(entry: Int, place: Int, to: ColumnEncoder): Int = {
    val copy = copies(entry)
    var end = entry + 1
    if (place >= NewRow.metaColumns) to.write(pointed(patch, copy), place - NewRow.metaColumns)
    else if (place == NewRow.sequenceAt) to.write(bytes, offsets(copy + 1), sizes(copy + 1), 1)
    else {
      while (end < entries && froms(end) >= 0 && copies(end) != none) end += 1
      to.write(texts(place), 0, texts(place).length, end - entry)
    }
    end
  }

  private def know(of: NewRow): Unit = if (created.isEmpty) {
    created = Some(of)
    texts = Array.tabulate(NewRow.metaColumns)(of.text(_).getBytes)
  }

  private def note(from: Int, until: Int, copy: Int): Unit = {
    froms(entries) = from
    untils(entries) = until
    copies(entries) = copy
    entries += 1
  }

  private def copy(of: UnsafeRow): Int = {
    val copy = reserve(of.getSizeInBytes)
    Platform.copyMemory(of.getBaseObject, of.getBaseOffset, bytes, placeOf(copy),
      sizes(copy).toLong)
    copy
  }

  private def copy(of: UTF8String): Unit = {
    val copy = reserve(of.numBytes)
    of.writeToMemory(bytes, placeOf(copy))
  }

  /** Makes room for the next copy, aligned to eight bytes as rows are.
    * @return number of the copy */
  private def reserve(size: Int): Int = {
    val needed = Math.addExact(used, size)
    if (needed > bytes.length)
      bytes = Arrays.copyOf(bytes, math.max(needed, 2 * math.min(bytes.length, mostBytes)))
    offsets(copied) = used
    sizes(copied) = size
    used = needed + 7 & ~7
    copied += 1
    copied - 1
  }

  private def placeOf(copy: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + offsets(copy)

  private def pointed(row: UnsafeRow, copy: Int): InternalRow = {
    row.pointTo(bytes, placeOf(copy), sizes(copy))
    row
  }
}

private object HeldRows {
  private val none = -1
  private val whole = -2 // kind of a row with all columns
  private val fresh = -3 // kind of a new row: values, sequence and key are copied one after another
  private val mostBytes = 1 << 17 // of copied rows

  /** A row with as many columns as `row`: `before`, if that has as many. */
  private def like(row: UnsafeRow, before: UnsafeRow): UnsafeRow =
    if (row.numFields == before.numFields) before else new UnsafeRow(row.numFields)
}
