package hudilite.spark.exec

import scala.collection.mutable

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.collection.unsafe.sort.{PrefixComparators, RecordComparator}

import hudilite.spark.locate.TaggedRow
import hudilite.spark.merge.SpillingSort

/** Sort of tagged source rows inside a task with Spark's spilling sorter: whole file groups, in no
  * order among themselves, each by record key (task side).
  *
  * Two rows are compared by an eight-byte prefix first: two bytes for the number of the file group,
  * then six bytes of the key, taken after the bytes with which all sampled keys begin. The rows
  * themselves are rarely compared.
  *
  * @param rows the first ones are the sample
  */
final class TaggedRowSort(schema: StructType, rows: Iterator[UnsafeRow]) {
  import TaggedRow.{hasKey, key}
  import TaggedRowSort.{bits, commonBegin, keyBits, most, sampled, SeenFileGroups}

  private val fileGroups = new SeenFileGroups
  private val first =
    Iterator.continually(rows).take(sampled).takeWhile(_.hasNext).map(_.next().copy()).toVector
  private val begin = commonBegin(first.filter(hasKey).map(key(_)))
  private val sorter = UnsafeExternalRowSorter.createWithRecordComparator(
    schema,
    () => new ByFileGroupAndKey,
    PrefixComparators.BINARY,
    prefixes,
    SparkEnv.get.memoryManager.pageSizeBytes,
    false // radix sort compares the prefix alone
  )

  /** Reads all rows and returns them in order. */
  def sorted(): Iterator[UnsafeRow] = {
    first.foreach(sorter.insertRow)
    rows.foreach(sorter.insertRow)
    SpillingSort.drain(sorter)
  }

  def sortNanos: Long = sorter.getSortTimeNanos
  def peakBytes: Long = sorter.getPeakMemoryUsage

  private def prefixes: PrefixComputer = new PrefixComputer {
    private val prefix = new PrefixComputer.Prefix
    override def computePrefix(row: InternalRow): PrefixComputer.Prefix = {
      val number = fileGroups.numberOf(row)
      val ofKey = if (number < most && hasKey(row)) bits(key(row), begin) else 0L
      prefix.value = (math.min(number, most).toLong << keyBits) | ofKey
      prefix
    }
  }

  private final class ByFileGroupAndKey extends RecordComparator {
    private val left, right = new UnsafeRow(schema.size)

    override def compare(
        leftBase: AnyRef,
        leftOffset: Long,
        leftLength: Int,
        rightBase: AnyRef,
        rightOffset: Long,
        rightLength: Int
    ): Int = {
      left.pointTo(leftBase, leftOffset, leftLength)
      right.pointTo(rightBase, rightOffset, rightLength)
      val byFileGroup =
        Integer.compare(fileGroups.numberOf(left), fileGroups.numberOf(right))
      if (byFileGroup != 0) byFileGroup
      else if (!hasKey(left) || !hasKey(right))
        java.lang.Boolean.compare(hasKey(left), hasKey(right))
      else key(left).compareTo(key(right))
    }
  }
}

object TaggedRowSort {
  private val sampled = 1000 // rows
  private val keyBytes = 6
  private val keyBits = keyBytes * 8
  private val most = 0xffff // of file groups that two bytes can tell apart

  /** Returns the bytes with which all keys begin. */
  private[spark] def commonBegin(keys: Seq[UTF8String]): UTF8String =
    if (keys.isEmpty) UTF8String.EMPTY_UTF8
    else {
      val (low, high) = (keys.min, keys.max)
      val shorter = math.min(low.numBytes, high.numBytes)
      val alike = (0 until shorter).takeWhile(i => low.getByte(i) == high.getByte(i)).size
      UTF8String.fromBytes(low.getBytes, 0, alike)
    }

  /** Returns the bytes after the common beginning, as a number in the order of the keys. A key that
    * does not begin so gets the least number if it sorts before, the greatest if it sorts after. */
  private[spark] def bits(key: UTF8String, begin: UTF8String): Long =
    if (key.startsWith(begin))
      (0 until keyBytes).foldLeft(0L) { (sum, i) =>
        val at = begin.numBytes + i
        (sum << 8) | (if (at < key.numBytes) key.getByte(at) & 0xffL else 0L)
      }
    else if (key.compareTo(begin) < 0) 0L
    else (1L << keyBits) - 1

  /** Numbers of file groups in the order of their first rows. Rows of a partition without a file
    * group count as rows of one. */
  private final class SeenFileGroups {
    private val numbers = mutable.HashMap.empty[(Option[UTF8String], Int), Int]
    private val ofOthers = mutable.HashMap.empty[Option[UTF8String], Int] // without a file group
    private var partition = Option.empty[UTF8String]
    private var hasFileGroup = false
    private var fileGroup = 0
    private var number = -1

    def numberOf(row: InternalRow): Int = {
      if (number < 0 || !isLast(row)) {
        partition = Option.when(TaggedRow.hasPartition(row))(TaggedRow.partition(row).clone())
        hasFileGroup = TaggedRow.hasFileGroup(row)
        fileGroup = if (hasFileGroup) TaggedRow.fileGroup(row) else 0
        number =
          if (hasFileGroup) numbers.getOrElseUpdate((partition, fileGroup), seen)
          else ofOthers.getOrElseUpdate(partition, seen)
      }
      number
    }

    private def seen: Int = numbers.size + ofOthers.size

    private def isLast(row: InternalRow): Boolean =
      TaggedRow.hasFileGroup(row) == hasFileGroup &&
        (!hasFileGroup || TaggedRow.fileGroup(row) == fileGroup) &&
        (if (TaggedRow.hasPartition(row)) partition.contains(TaggedRow.partition(row))
         else partition.isEmpty)
  }
}
