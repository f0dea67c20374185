package hudilite.spark.exec

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.SortedKeys

/** The keys of one partition of the table among the source rows of one task.
  * @param path  of the partition, "" where the table has none
  * @param rows  source rows that have them
  * @param bytes size of those rows in memory */
final case class PathKeys(path: String, keys: SortedKeys, rows: Long, bytes: Long)

object PathKeys {

  /** @param tagged rows in the order of their path and key; those without a key are left out */
  def of(tagged: Iterator[InternalRow]): Iterator[PathKeys] = {
    val all = ArrayBuffer.empty[PathKeys]
    var path = Option.empty[UTF8String]
    var keys = new SortedKeys.Builder
    var rows, bytes = 0L
    def close(): Unit = path.foreach(p => all += PathKeys(p.toString, keys.result(), rows, bytes))
    tagged.filterNot(_.isNullAt(MergeFacts.KeyAt)).foreach { row =>
      val at = row.getUTF8String(MergeFacts.PartitionAt)
      if (!path.contains(at)) {
        close()
        path = Some(at.clone())
        keys = new SortedKeys.Builder
        rows = 0
        bytes = 0
      }
      keys.add(row.getUTF8String(MergeFacts.KeyAt))
      rows += 1
      bytes += LocatedRows.sizeOf(row)
    }
    close()
    all.iterator
  }
}

/** Where those keys are.
  * @param groups number of the group of each key, -1 where it is in none */
final case class PathGroups(path: String, keys: SortedKeys, groups: Array[Int])
