package hudilite.spark.locate

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** Values that a task collects of tagged rows, one for each partition of the table (task side). Rows of one
  * partition mostly come one after another, so the latest partition is looked at first.
  * @param create what is collected of a partition, from its path and its first row */
final private[spark] class ByPartition[A](create: (UTF8String, InternalRow) => A) {
  private val values = mutable.LinkedHashMap.empty[UTF8String, A]
  private var latest = Option.empty[(UTF8String, A)]

  /** Returns what is collected of the partition of a row. */
  def of(row: InternalRow): A = {
    val path = TaggedRow.partition(row)
    latest.filter(_._1 == path).getOrElse {
      val own = path.clone()
      val found = (own, values.getOrElseUpdate(own, create(own, row)))
      latest = Some(found)
      found
    }._2
  }

  /** Returns what is collected of all partitions, in the order of their first rows. */
  def all: Iterator[A] = values.valuesIterator
}
