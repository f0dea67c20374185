package hudilite.spark.bootstrap

import scala.collection.mutable.ArrayBuilder

import org.apache.spark.unsafe.array.LongArray
import org.apache.spark.unsafe.memory.MemoryBlock
import org.apache.spark.util.collection.unsafe.sort.RadixSort

/** Buffer of record key hashes, split into ranges, for the shuffle that finds duplicate keys. Runs
  * in a task. A hash belongs to range `(hash >>> 1) % ranges`, and one task gets all hashes of a
  * range. A key takes eight bytes, and as many again while a range is sorted.
  * @param ranges 1 or more */
final class KeyHashes(ranges: Int) {
  import KeyHashes._

  private val most = math.max(fewest, math.min(largest, atATime / ranges))
  private val parts = Array.fill(ranges)(Part(new Array[Long](math.min(most, fewest)), 0))
  private var filled = Vector.empty[(Int, Array[Long])]

  def add(hash: Long): Unit = {
    val range = ((hash >>> 1) % ranges).toInt
    val part = parts(range)
    if (part.used == part.hashes.length) part.grow(most)
    part.hashes(part.used) = hash
    part.used += 1
    if (part.used == most) {
      filled :+= range -> part.hashes
      parts(range) = Part(new Array[Long](most), 0)
    }
  }

  /** Returns the pieces that are full and not yet returned, each with its range. */
  def full(): Seq[(Int, Array[Long])] = {
    val now = filled
    filled = Vector.empty
    now
  }

  /** Returns all remaining pieces, each with its range. */
  def rest(): Seq[(Int, Array[Long])] = {
    val left = parts.toVector.zipWithIndex.collect {
      case (part, range) if part.used > 0 =>
        range -> java.util.Arrays.copyOf(part.hashes, part.used)
    }
    full() ++ left
  }
}

object KeyHashes {
  private val fewest = 64

  /** Maximum number of hashes in the unfinished pieces of all ranges. */
  private val atATime = 4 << 20

  /** Maximum number of hashes in one piece. The JVM may allocate a larger array apart from other
    * objects. */
  private val largest = 1 << 15

  private final case class Part(var hashes: Array[Long], var used: Int) {
    def grow(most: Int): Unit =
      hashes = java.util.Arrays.copyOf(hashes, math.min(hashes.length * 2, most))
  }

  /** Returns the hashes that occur more than once, each once.
    * @param all all hashes of one range */
  def repeated(all: Seq[Array[Long]]): Array[Long] = {
    val count = all.map(_.length).sum
    val hasRoom = count < Int.MaxValue / 2 // RadixSort needs as much free space again
    val hashes = new Array[Long](if (hasRoom) 2 * count else count)
    all.foldLeft(0) { (at, part) =>
      System.arraycopy(part, 0, hashes, at, part.length)
      at + part.length
    }: Unit
    val start = if (hasRoom) sorted(hashes, count) else { java.util.Arrays.sort(hashes); 0 }
    val found = new ArrayBuilder.ofLong
    var from = start
    while (from < start + count) {
      val end = endOfRun(hashes, from, start + count)
      if (end - from > 1) addRepeated(hashes, from, end, found)
      from = end
    }
    found.result()
  }

  /** Returns the end, exclusive, of the hashes whose upper three bytes equal those of the one at
    * `from`. */
  private def endOfRun(hashes: Array[Long], from: Int, last: Int): Int = {
    var end = from + 1
    while (end < last && (hashes(end) >>> lowerBits) == (hashes(from) >>> lowerBits)) end += 1
    end
  }

  private def addRepeated(
      hashes: Array[Long],
      from: Int,
      end: Int,
      found: ArrayBuilder.ofLong
  ): Unit = {
    java.util.Arrays.sort(hashes, from, end)
    var i = from + 1
    while (i < end) {
      if (hashes(i) == hashes(i - 1) && (i == from + 1 || hashes(i - 2) != hashes(i)))
        found.addOne(hashes(i)): Unit
      i += 1
    }
  }

  /** Sorts the first `count` hashes by their upper three bytes.
    * @return index of the first sorted hash */
  private def sorted(hashes: Array[Long], count: Int): Int = {
    val records = new LongArray(MemoryBlock.fromLongArray(hashes))
    RadixSort.sort(records, count.toLong, firstByte, lastByte, false, false)
  }

  /** Sorting by the upper three bytes is enough to bring equal hashes together, with few others
    * between them. */
  private val firstByte = 5
  private val lastByte = 7
  private val lowerBits = 40
}
