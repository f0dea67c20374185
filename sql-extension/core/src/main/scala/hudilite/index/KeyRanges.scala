package hudilite.index

import java.util.Arrays

import scala.annotation.tailrec

import org.apache.spark.unsafe.types.UTF8String

/** Least and greatest record key of a file, in the order of their bytes. */
final case class KeyRange(min: UTF8String, max: UTF8String) {
  def holds(key: UTF8String): Boolean = min.compareTo(key) <= 0 && key.compareTo(max) <= 0
}

/** Search for the files of a partition that may contain a key, by the ranges of their keys. Not
  * thread-safe.
  * Source: seed 001 (explodeRecordsWithFileComparisons), performance 4.3. */
sealed trait KeyRanges {

  /** Calls `visit` with the number of each range that contains a key, in no order.
    * @param key not less than the key of the previous call */
  def candidates(key: UTF8String)(visit: Int => Unit): Unit

  /** Number of comparisons of a key with a bound of a range. */
  def comparisons: Long
}

object KeyRanges {

  /** Returns which of the sorted keys each file may contain: from the first number up to, but not
    * including, the second.
    * @param ranges   None if the keys of a file are unknown: it may contain any
    * @param search   creates the search over the known ranges
    * @param compared called with the number of comparisons of a key with a bound */
  def slices(
      keys: SortedKeys,
      ranges: IndexedSeq[Option[KeyRange]],
      search: IndexedSeq[KeyRange] => KeyRanges,
      compared: Long => Unit
  ): IndexedSeq[(Int, Int)] = {
    val known = ranges.indices.filter(ranges(_).nonEmpty)
    val by = search(known.flatMap(ranges(_)))
    val found = Array.fill(ranges.length)((0, keys.size))
    known.foreach(found(_) = (0, 0))
    (0 until keys.size).foreach { i =>
      by.candidates(keys(i)) { n =>
        val (from, until) = found(known(n))
        found(known(n)) = (if (until == 0) i else from, i + 1)
      }
    }
    compared(by.comparisons)
    found.toIndexedSeq
  }

  /** Returns the same for one file, by a binary search of its bounds among the keys. */
  def slice(keys: SortedKeys, range: KeyRange, compared: Long => Unit): (Int, Int) = {
    val from = keys.countBefore(range.min, isIncluded = false, compared)
    (from, math.max(from, keys.countBefore(range.max, isIncluded = true, compared)))
  }

  /** Returns a search that tests each range for each key. */
  def list(ranges: IndexedSeq[KeyRange]): KeyRanges = new RangeList(ranges)

  /** Returns a search that finds a key among all bounds by binary search, and then visits only the
    * ranges that contain it. */
  def tree(ranges: IndexedSeq[KeyRange]): KeyRanges = new RangeTree(ranges)
}

/** Method by which files are skipped by the ranges of their keys. All methods find the same
  * keys. */
sealed trait RangePruning

object RangePruning {

  /** No pruning. */
  case object Off extends RangePruning

  /** Tests each key against each file. */
  case object List extends RangePruning

  /** Looks each key up in a balanced tree of the files. */
  case object Tree extends RangePruning

  /** Looks the bounds of each file up among the keys. */
  case object Sweep extends RangePruning

  /** Like Sweep, until the ranges turn out to skip too little. */
  case object Auto extends RangePruning
}

private final class RangeList(ranges: IndexedSeq[KeyRange]) extends KeyRanges {
  private var count = 0L

  override def comparisons: Long = count

  override def candidates(key: UTF8String)(visit: Int => Unit): Unit = ranges.indices.foreach { i =>
    count += 1
    if (ranges(i).holds(key)) visit(i)
  }
}

/** Search by a balanced tree over the ranges. A key is compared with bounds only once, to find its
  * rank; after that, only ranks are compared. The ranges are ordered by their least keys, and each
  * inner node of the tree has the greatest rank below it. */
private final class RangeTree(ranges: IndexedSeq[KeyRange]) extends KeyRanges {
  private val bounds = ranges.flatMap(r => Seq(r.min, r.max)).distinct.sorted.toArray
  private val rankOf = bounds.zipWithIndex.toMap
  private val order = ranges.indices.sortBy(i => rankOf(ranges(i).min)).toArray
  private val minRanks = order.map(i => rankOf(ranges(i).min))
  private val maxRanks = order.map(i => rankOf(ranges(i).max))
  private val size = Integer.highestOneBit(math.max(1, ranges.size * 2 - 1))
  private val greatest = parts()
  private var count = 0L
  private var from = 0

  override def comparisons: Long = count

  override def candidates(key: UTF8String)(visit: Int => Unit): Unit = {
    from = rank(key, from)
    val isBound = from < bounds.length && bounds(from) == key
    val begun = prefix(if (isBound) from else from - 1)
    if (begun > 0) enumerate(1, 0, size, begun, from, visit)
  }

  /** Returns the first bound that is not less than a key: first in steps that double, then by
    * binary search.
    * @param least result for the previous key */
  private def rank(key: UTF8String, least: Int): Int = {
    var low = least
    var step = 1
    while (low + step <= bounds.length && isLess(low + step - 1, key)) {
      low += step
      step *= 2
    }
    halve(key, low, math.min(bounds.length, low + step - 1))
  }

  @tailrec private def halve(key: UTF8String, low: Int, high: Int): Int =
    if (low >= high) low
    else {
      val middle = (low + high) >>> 1
      if (isLess(middle, key)) halve(key, middle + 1, high) else halve(key, low, middle)
    }

  private def isLess(bound: Int, key: UTF8String): Boolean = {
    count += 1
    bounds(bound).compareTo(key) < 0
  }

  /** Returns the number of ranges that begin at a rank or before it. */
  private def prefix(rank: Int): Int = {
    val found = Arrays.binarySearch(minRanks, rank)
    if (found < 0) -found - 1
    else (found until minRanks.length).find(minRanks(_) > rank).getOrElse(minRanks.length)
  }

  private def enumerate(
      part: Int,
      low: Int,
      high: Int,
      end: Int,
      rank: Int,
      visit: Int => Unit
  ): Unit =
    if (low < end && greatest(part) >= rank)
      if (part >= size) visit(order(low))
      else {
        val middle = (low + high) >>> 1
        enumerate(2 * part, low, middle, end, rank, visit)
        enumerate(2 * part + 1, middle, high, end, rank, visit)
      }

  private def parts(): Array[Int] = {
    val tree = Array.fill(2 * size)(-1)
    maxRanks.copyToArray(tree, size)
    (size - 1 to 1 by -1).foreach(i => tree(i) = math.max(tree(2 * i), tree(2 * i + 1)))
    tree
  }
}
