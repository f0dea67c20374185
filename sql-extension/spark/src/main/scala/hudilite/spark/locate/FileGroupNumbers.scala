package hudilite.spark.locate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.InsertBins

/** Setter of the file group numbers of tagged rows (task side). */
private[spark] object FileGroupNumbers {
  import KeyLocations.Absent

  def sizeOf(row: InternalRow): Long = unsafe(row).getSizeInBytes.toLong

  /** Returns the rows with the number of their file group, set in place. Rows may come in
    * any order. Rows without a key pass unchanged.
    * @param bins    file groups of new keys, by partition; None if nothing is inserted: then rows
    *                with a new key are dropped
    * @param located file group numbers of all keys of the rows */
  def apply(bins: Option[Map[String, InsertBins]])(
      tagged: Iterator[InternalRow],
      located: Iterator[KeyLocations]
  ): Iterator[InternalRow] = {
    val numbers = located.map { of =>
      UTF8String.fromString(of.path) -> new Numbers(of, bins.map(_.get(of.path)))
    }.toMap
    tagged.map(unsafe).filter { row =>
      !TaggedRow.hasKey(row) || {
        val number =
          numbers.getOrElse(TaggedRow.partition(row), PartitionKeys.otherKeys())
            .of(TaggedRow.key(row))
        if (number != Absent) TaggedRow.setFileGroup(row, number)
        number != Absent
      }
    }
  }

  /** Returns rows whose keys are all new with the number of their file group, set in place. Rows without
    * a key pass unchanged.
    * @param bins file groups by partition; None if nothing is inserted: then rows with a key are
    *             dropped */
  def ofNew(bins: Option[Map[String, InsertBins]])(
      tagged: Iterator[InternalRow]
  ): Iterator[InternalRow] = {
    val byPath = bins.map(_.map { case (path, of) => UTF8String.fromString(path) -> of })
    tagged.map(unsafe).filter { row =>
      if (TaggedRow.hasKey(row))
        byPath.foreach { of =>
          val own = of.getOrElse(TaggedRow.partition(row), PartitionKeys.otherKeys())
          TaggedRow.setFileGroup(row, own.of(TaggedRow.key(row)))
        }
      byPath.nonEmpty || !TaggedRow.hasKey(row)
    }
  }

  private def unsafe(row: InternalRow): UnsafeRow = row.asInstanceOf[UnsafeRow]

  /** @param bins None if nothing is inserted, Some(None) if the partition had no new key */
  private final class Numbers(located: KeyLocations, bins: Option[Option[InsertBins]]) {
    def of(key: UTF8String): Int = {
      val at = located.keys.find(key)
      if (at < 0) PartitionKeys.otherKeys()
      else if (located.fileGroups(at) != Absent) located.fileGroups(at)
      else bins.fold(Absent)(_.getOrElse(PartitionKeys.otherKeys()).of(key))
    }
  }
}
