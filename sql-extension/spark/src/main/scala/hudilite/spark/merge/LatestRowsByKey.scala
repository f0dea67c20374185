package hudilite.spark.merge

import scala.collection.mutable.ArrayBuffer
import scala.collection.{AbstractIterator, BufferedIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.locate.TaggedRow

/** Source rows of which, for each key, only those with the greatest ordering value are returned
  * (task side).
  *
  * Only rows that look into the same partition are compared. Rows that tie and differ all stay,
  * because nothing decides between them; of equal rows one stays.
  *
  * @param rows  tagged source rows in key order
  * @param order by the ordering fields
  */
final class LatestRowsByKey(rows: BufferedIterator[UnsafeRow], order: Ordering[InternalRow])
    extends AbstractIterator[UnsafeRow] {
  import TaggedRow.hasKey

  private var ready: Iterator[UnsafeRow] = Iterator.empty

  override def hasNext: Boolean = ready.hasNext || rows.hasNext

  override def next(): UnsafeRow = {
    if (!ready.hasNext) ready = nextKey()
    ready.next()
  }

  private def nextKey(): Iterator[UnsafeRow] = {
    val first = rows.next()
    if (!hasKey(first)) Iterator.single(first)
    else {
      val key = TaggedRow.key(first).clone()
      val newest = ArrayBuffer(first.copy())
      while (rows.hasNext && hasKey(rows.head) && TaggedRow.key(rows.head) == key)
        add(newest, rows.next())
      newest.iterator
    }
  }

  private def add(newest: ArrayBuffer[UnsafeRow], row: UnsafeRow): Unit = {
    val rivals = newest.filter(other => pinned(other) == pinned(row))
    val isSurpassed = rivals.exists(o => order.compare(o, row) > 0 || o == row)
    if (!isSurpassed) {
      newest --= rivals.filter(order.compare(_, row) < 0)
      newest += row.copy()
    }
  }

  private def pinned(row: UnsafeRow): Option[UTF8String] =
    Option.when(TaggedRow.isPinned(row))(TaggedRow.pinned(row))
}
