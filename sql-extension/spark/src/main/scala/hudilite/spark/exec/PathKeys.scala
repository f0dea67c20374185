package hudilite.spark.exec

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.SortedKeys

/** The keys of one partition of the table among the source rows of one task.
  * @param path  of the partition, "" where the table has none
  * @param rows  source rows that have them
  * @param bytes size of those rows in memory */
final case class PathKeys(path: String, keys: SortedKeys, rows: Long, bytes: Long)

object PathKeys {

  /** Says that a part of the source that was lost came back with other rows. */
  def otherKeys(): Nothing = throw new IllegalStateException(
    "The source gave other keys when a lost part of it was computed anew. Nothing was written; run " +
      "the statement again, or store the source in a table first."
  )

  /** @param tagged rows in any order; those without a key are left out */
  def of(tagged: Iterator[InternalRow]): Iterator[PathKeys] = {
    val paths = mutable.LinkedHashMap.empty[UTF8String, Rows]
    var last = Option.empty[Rows]
    tagged.filterNot(_.isNullAt(MergeFacts.KeyAt)).foreach { row =>
      val path = row.getUTF8String(MergeFacts.PartitionAt)
      val rows = last.filter(_.path == path).getOrElse {
        val own = path.clone()
        paths.getOrElseUpdate(own, new Rows(own))
      }
      rows.add(row)
      last = Some(rows)
    }
    paths.valuesIterator.map(_.result())
  }

  private final class Rows(val path: UTF8String) {
    private val keys = new SortedKeys.Builder
    private var count, bytes = 0L

    def add(row: InternalRow): Unit = {
      keys.add(row.getUTF8String(MergeFacts.KeyAt))
      count += 1
      bytes += LocatedRows.sizeOf(row)
    }

    def result(): PathKeys = PathKeys(path.toString, keys.result(), count, bytes)
  }
}

/** Where those keys are.
  * @param groups number of the group of each key, -1 where it is in none */
final case class PathGroups(path: String, keys: SortedKeys, groups: Array[Int])
