package hudilite.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.InsertBins

/** Puts the numbers of file groups into tagged rows (task side). */
private[exec] object LocatedRows {

  def sizeOf(row: InternalRow): Long = unsafe(row).getSizeInBytes.toLong

  /** Rows and groups stand in the same order of paths and keys. Rows without a key are passed on.
    * @param bins groups of new keys by partition; empty where none is inserted */
  def apply(bins: Map[String, InsertBins])(
      tagged: Iterator[InternalRow],
      located: Iterator[PathGroups]
  ): Iterator[InternalRow] = {
    val cursor = new Cursor(located, bins)
    tagged.map(unsafe).filter { row =>
      row.isNullAt(MergeFacts.KeyAt) || {
        val group = cursor.groupOf(
          row.getUTF8String(MergeFacts.PartitionAt),
          row.getUTF8String(MergeFacts.KeyAt)
        )
        if (group >= 0) row.setInt(MergeFacts.BucketAt, group)
        group >= 0
      }
    }
  }

  private def unsafe(row: InternalRow): UnsafeRow = row.asInstanceOf[UnsafeRow]

  /** Goes along with the rows. */
  final private class Cursor(located: Iterator[PathGroups], bins: Map[String, InsertBins]) {
    private var at = Option.empty[(UTF8String, PathGroups, Option[InsertBins])]
    private var key = 0

    def groupOf(path: UTF8String, sought: UTF8String): Int = {
      while (!at.exists(_._1 == path)) {
        val next = located.next()
        at = Some((UTF8String.fromString(next.path), next, bins.get(next.path)))
        key = 0
      }
      at.fold(-1) { case (_, of, inserted) =>
        while (of.keys(key) != sought) key += 1
        if (of.groups(key) >= 0) of.groups(key) else inserted.fold(-1)(_.of(sought))
      }
    }
  }
}
