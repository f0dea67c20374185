package hudilite.spark.exec

import java.util.HashMap

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.locate.TaggedRow

/** File groups of tagged rows, numbered in the order of their first rows (task side). Rows of a
  * partition without a file group count as rows of one. */
private[exec] final class SeenFileGroups {
  import SeenFileGroups._

  // Rows that look into every partition have null as theirs.
  private val partitions = new HashMap[UTF8String, mutable.LongMap[FileGroup]]
  private var count = 0
  private var latest = nowhere

  def of(row: InternalRow): FileGroup = {
    if (!latest.has(row)) latest = find(row)
    latest
  }

  private def find(row: InternalRow): FileGroup = {
    val partition = TaggedRow.partition(row)
    val fileGroups = Option(partitions.get(partition)).getOrElse {
      val added = mutable.LongMap.empty[FileGroup]
      partitions.put(copy(partition), added)
      added
    }
    fileGroups.getOrElseUpdate(
      numberIn(row).toLong, {
        count += 1
        new FileGroup(copy(partition), numberIn(row), count - 1)
      }
    )
  }

  private def copy(partition: UTF8String): UTF8String = Option(partition).map(_.copy()).orNull
}

private[exec] object SeenFileGroups {
  private val none = -1
  private val nowhere = new FileGroup(UTF8String.EMPTY_UTF8, none - 1, none)

  /** @param numberIn number in the table's partition, or [[none]]
    * @param number   number among the file groups that have been seen */
  final class FileGroup private[SeenFileGroups] (
      partition: UTF8String,
      numberIn: Int,
      val number: Int
  ) {
    private var keys = Option.empty[KeyPrefix]

    def has(row: InternalRow): Boolean =
      SeenFileGroups.numberIn(row) == numberIn && TaggedRow.partition(row) == partition

    /** Returns a number for the key of a row of this file group, 0 if it has none; see
      * [[KeyPrefix]]. */
    def keyPrefix(row: InternalRow): Long =
      if (!TaggedRow.hasKey(row)) 0L
      else {
        val key = TaggedRow.key(row)
        if (keys.isEmpty) keys = Some(KeyPrefix.narrow(key))
        keys.get.of(key)
      }
  }

  private def numberIn(row: InternalRow): Int =
    if (TaggedRow.hasFileGroup(row)) TaggedRow.fileGroup(row) else none
}
