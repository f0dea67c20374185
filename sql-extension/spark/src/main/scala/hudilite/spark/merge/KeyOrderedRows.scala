package hudilite.spark.merge

import scala.collection.{AbstractIterator, BufferedIterator}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.locate.TaggedRow
import hudilite.spark.write.SpillableRows

/** Rows in key order, one at a time; `row` and `key` are valid until `advance` (task side). */
trait KeyOrderedRows {
  def hasRow: Boolean
  def key: UTF8String
  def row: UnsafeRow
  def advance(): Unit
}

object KeyOrderedRows {

  val none: KeyOrderedRows = over(Iterator.empty, 0)

  /** Returns tagged rows that are in key order, without those that have no key. */
  def ofTagged(rows: Iterator[UnsafeRow]): KeyOrderedRows = over(rows, TaggedRow.KeyAt)

  /** Returns the rows of an iterator that is in key order, without those that have no key. */
  private def over(rows: Iterator[UnsafeRow], keyAt: Int): KeyOrderedRows = new KeyOrderedRows {
    private val keyed = rows.filterNot(_.isNullAt(keyAt))
    private var current: Option[UnsafeRow] = None
    private var currentKey = UTF8String.EMPTY_UTF8
    advance()

    override def hasRow: Boolean = current.nonEmpty
    override def row: UnsafeRow = current.get
    override def key: UTF8String = currentKey
    override def advance(): Unit = {
      current = keyed.nextOption()
      current.foreach(row => currentKey = row.getUTF8String(keyAt))
    }
  }

  /** Reads all rows into a buffer that spills.
    * @param keyAt position of the key
    * @return a function that returns them, as often as it is called */
  def held(rows: KeyOrderedRows, keyAt: Int): () => KeyOrderedRows = {
    val buffer = SpillableRows.open()
    while (rows.hasRow) {
      buffer.add(rows.row)
      rows.advance()
    }
    () => over(buffer.generateIterator(), keyAt)
  }

  /** Returns the leading rows of `rows` for which `holds` is true. The first other row stays in
    * `rows`. */
  def headOf(rows: BufferedIterator[UnsafeRow], keyAt: Int)(
      holds: UnsafeRow => Boolean
  ): KeyOrderedRows = {
    val head = new AbstractIterator[UnsafeRow] {
      override def hasNext: Boolean = rows.hasNext && holds(rows.head)
      override def next(): UnsafeRow = rows.next()
    }
    over(head, keyAt)
  }
}
