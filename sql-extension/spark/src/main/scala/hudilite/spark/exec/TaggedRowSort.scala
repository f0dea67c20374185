package hudilite.spark.exec

import scala.collection.AbstractIterator
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.Platform

import hudilite.spark.locate.TaggedRow
import hudilite.spark.merge.SpillingSort
import hudilite.spark.merge.SpillingSort.RowPrefix

/** Sort of tagged source rows inside a task with Spark's spilling sorter: whole file groups, in no
  * order among themselves, each by record key, rows without a key first (task side).
  *
  * Spark's radix sort orders the rows by eight bytes: two for the number of the file group, six for
  * the key. Rows that these do not tell apart are neighbors then, in memory and after a spill, and
  * are put in order when they are read. Many of them go through a sorter of their own.
  *
  * @param count called with the cost of each sort */
final class TaggedRowSort(
    schema: StructType,
    rows: Iterator[UnsafeRow],
    count: TaggedRowSort.Cost => Unit
) {
  import TaggedRowSort._

  private val fileGroups = new SeenFileGroups
  private val prefixes = new RowPrefix {
    override def of(row: UnsafeRow): Long = {
      val fileGroup = fileGroups.of(row)
      if (fileGroup.number >= most) others
      else (fileGroup.number.toLong << KeyPrefix.bits) | fileGroup.keyPrefix(row)
    }
  }

  /** Reads all rows and returns them in order, each valid until the next one. */
  def sorted(): Iterator[UnsafeRow] = new InOrder(
    sort(SpillingSort.byPrefix(schema, prefixes))(sorter => rows.foreach(sorter.insertRow))
  )

  private def sort(sorter: UnsafeExternalRowSorter)(
      fill: UnsafeExternalRowSorter => Unit
  ): Iterator[UnsafeRow] = {
    val before = spilled
    fill(sorter)
    val inOrder = SpillingSort.drain(sorter)
    count(Cost(sorter.getSortTimeNanos, sorter.getPeakMemoryUsage, spilled - before))
    inOrder
  }

  private def spilled: Long = TaskContext.get().taskMetrics().memoryBytesSpilled

  /** Rows of which those with equal prefixes are put in order.
    * @param rows in the order of their prefixes */
  private final class InOrder(rows: Iterator[UnsafeRow]) extends AbstractIterator[UnsafeRow] {
    private val current = new HeldRow(schema.size)
    private var tied: Iterator[UnsafeRow] = Iterator.empty
    private var ahead = current.row // in the sorter's memory, until the next one is read
    private var hasAhead = false
    private var prefix, prefixAhead = 0L
    read()

    override def hasNext: Boolean = tied.hasNext || hasAhead

    override def next(): UnsafeRow =
      if (tied.hasNext) tied.next()
      else {
        current.hold(ahead)
        prefix = prefixAhead
        read()
        if (isTied && !isDecided) {
          tied = inOrder()
          tied.next()
        } else current.row
      }

    private def read(): Unit = {
      hasAhead = rows.hasNext
      if (hasAhead) {
        ahead = rows.next()
        prefixAhead = prefixes.of(ahead)
      }
    }

    private def isTied: Boolean = hasAhead && prefixAhead == prefix

    /** Whether rows of this prefix have no key and belong to one file group. */
    private def isDecided: Boolean = prefix != others && (prefix & KeyPrefix.mask) == 0

    /** Returns the rows that are tied with the current one, itself included. */
    private def inOrder(): Iterator[UnsafeRow] = {
      val held = ArrayBuffer(current.row.copy())
      var bytes = 0L
      while (isTied && bytes < heldBytes) {
        bytes += ahead.getSizeInBytes + rowBytes
        held += ahead.copy()
        read()
      }
      val order = if (prefix == others) byFileGroup else byKey
      if (isTied) spilling(order, held) else held.sorted(order).iterator
    }

    private def spilling(
        order: Ordering[InternalRow],
        held: ArrayBuffer[UnsafeRow]
    ): Iterator[UnsafeRow] =
      sort(SpillingSort.open(schema, order, prefixesOfTied(held.head))) { sorter =>
        held.foreach(sorter.insertRow)
        while (isTied) {
          sorter.insertRow(ahead)
          read()
        }
      }

    private def prefixesOfTied(first: UnsafeRow): RowPrefix = {
      val keys = Option.when(prefix != others)(KeyPrefix.wide(TaggedRow.key(first)))
      new RowPrefix {
        override def of(row: UnsafeRow): Long =
          if (keys.isEmpty) fileGroups.of(row).number.toLong else keys.get.of(TaggedRow.key(row))
      }
    }
  }

  private val byKey: Ordering[InternalRow] =
    (a, b) => TaggedRow.key(a).compareTo(TaggedRow.key(b))

  private val byFileGroup: Ordering[InternalRow] = (a, b) => {
    val byNumber = Integer.compare(fileGroups.of(a).number, fileGroups.of(b).number)
    if (byNumber != 0) byNumber
    else if (TaggedRow.hasKey(a) && TaggedRow.hasKey(b)) byKey.compare(a, b)
    else java.lang.Boolean.compare(TaggedRow.hasKey(a), TaggedRow.hasKey(b))
  }
}

object TaggedRowSort {

  /** Cost of a sort.
    * @param peakBytes    most memory that it took
    * @param spilledBytes memory that it freed by spilling */
  final case class Cost(nanos: Long, peakBytes: Long, spilledBytes: Long)

  private val most = 0xffff // of file groups that two bytes can tell apart
  private val others = most.toLong << KeyPrefix.bits // prefix of the rows of other file groups
  private val heldBytes = 1L << 20 // of tied rows that are sorted without a sorter of their own
  private val rowBytes = 64L // of a row beside its values

  /** Row whose bytes are copied from another one. */
  private final class HeldRow(columns: Int) {
    val row: UnsafeRow = new UnsafeRow(columns)
    private var bytes = Array.emptyByteArray

    def hold(from: UnsafeRow): Unit = {
      val size = from.getSizeInBytes
      if (bytes.length < size) bytes = new Array[Byte](size)
      from.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET.toLong)
      row.pointTo(bytes, size)
    }
  }
}
