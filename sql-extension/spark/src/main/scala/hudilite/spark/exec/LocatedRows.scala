package hudilite.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.InsertBins

/** Puts the numbers of file groups into tagged rows (task side). */
private[exec] object LocatedRows {

  def sizeOf(row: InternalRow): Long = unsafe(row).getSizeInBytes.toLong

  /** Rows in any order, those without a key passed on.
    * @param bins    groups of new keys by partition; None where none is inserted
    * @param located of the keys of all rows */
  def apply(bins: Option[Map[String, InsertBins]])(
      tagged: Iterator[InternalRow],
      located: Iterator[PathGroups]
  ): Iterator[InternalRow] = {
    val groups = located.map { of =>
      UTF8String.fromString(of.path) -> new Groups(of, bins.map(_.get(of.path)))
    }.toMap
    tagged.map(unsafe).filter { row =>
      row.isNullAt(MergeFacts.KeyAt) || {
        val key = row.getUTF8String(MergeFacts.KeyAt)
        val path = row.getUTF8String(MergeFacts.PartitionAt)
        val group = groups.getOrElse(path, PathKeys.otherKeys()).of(key)
        if (group >= 0) row.setInt(MergeFacts.BucketAt, group)
        group >= 0
      }
    }
  }

  private def unsafe(row: InternalRow): UnsafeRow = row.asInstanceOf[UnsafeRow]

  /** @param bins None where nothing is inserted, and none in it where no key was to be */
  private final class Groups(located: PathGroups, bins: Option[Option[InsertBins]]) {
    def of(key: UTF8String): Int = {
      val at = located.keys.find(key)
      if (at < 0) PathKeys.otherKeys()
      else if (located.groups(at) >= 0) located.groups(at)
      else bins.fold(-1)(_.getOrElse(PathKeys.otherKeys()).of(key))
    }
  }
}
