package hudilite.spark.merge

import scala.collection.mutable.ArrayBuffer
import scala.collection.{AbstractIterator, BufferedIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, SortOrder, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.locate.TaggedRow

/** Source rows of which, for each key, only those with the greatest ordering value are returned
  * (task side).
  *
  * Only rows that look into the same partition are compared. Rows that tie and differ all stay,
  * because nothing decides between them; of equal rows one stays.
  *
  * @param rows   tagged source rows in key order
  * @param order  by the ordering fields
  * @param rivals compares rows: only those that are equal by it are compared by `order`
  */
final class LatestRowsByKey(
    rows: BufferedIterator[UnsafeRow],
    order: Ordering[InternalRow],
    rivals: Ordering[InternalRow]
) extends AbstractIterator[UnsafeRow] {
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
    val compared = newest.filter(o => pinned(o) == pinned(row) && rivals.compare(o, row) == 0)
    val isSurpassed = compared.exists(o => order.compare(o, row) > 0 || o == row)
    if (!isSurpassed) {
      newest --= compared.filter(order.compare(_, row) < 0)
      newest += row.copy()
    }
  }

  private def pinned(row: UnsafeRow): Option[UTF8String] =
    Option.when(TaggedRow.isPinned(row))(TaggedRow.pinned(row))
}

object LatestRowsByKey {

  /** Returns what leaves the latest rows of each key of a task, by the ordering fields of the
    * statement; None if its rows are not ordered. */
  def of(facts: MergeTaskFacts): Option[Iterator[UnsafeRow] => Iterator[UnsafeRow]] =
    facts.spec.ordering.map { value =>
      val order = by(facts, Seq(value))
      val rivals = by(facts, facts.spec.rivals)
      rows => new LatestRowsByKey(rows.buffered, order, rivals)
    }

  private def by(facts: MergeTaskFacts, values: Seq[Expression]): Ordering[InternalRow] =
    new LazilyGeneratedOrdering(values.map(SortOrder(_, Ascending)), facts.source)
}
