package hudilite.procedures

import scala.collection.mutable.ArrayBuilder

import org.apache.spark.unsafe.array.LongArray
import org.apache.spark.unsafe.memory.MemoryBlock
import org.apache.spark.util.collection.unsafe.sort.RadixSort

/** Hashes of record keys, gathered by their range until a part of them is sent to where all of that
  * range come together (task side): eight bytes a key tell whether one comes twice,
  * and as many again where they are sorted.
  * @param ranges 1 or more */
private[procedures] final class KeyHashes(ranges: Int) {
  import KeyHashes._

  private val most = math.max(fewest, math.min(largest, atATime / ranges))
  private val parts = Array.fill(ranges)(Part(new Array[Long](math.min(most, fewest)), 0))
  private var filled = Vector.empty[(Int, Piece)]

  def add(hash: Long): Unit = {
    val range = ((hash >>> 1) % ranges).toInt
    val part = parts(range)
    if (part.used == part.hashes.length) part.grow(most)
    part.hashes(part.used) = hash
    part.used += 1
    if (part.used == most) {
      filled :+= range -> Hashes(part.hashes)
      parts(range) = Part(new Array[Long](most), 0)
    }
  }

  /** What is to be sent by now. */
  def full(): Seq[(Int, Piece)] = {
    val now = filled
    filled = Vector.empty
    now
  }

  /** All that is left. */
  def rest(): Seq[(Int, Piece)] = {
    val left = parts.toVector.zipWithIndex.collect {
      case (part, range) if part.used > 0 =>
        range -> Hashes(java.util.Arrays.copyOf(part.hashes, part.used))
    }
    full() ++ left
  }
}

private[procedures] object KeyHashes {
  private val fewest = 64

  /** Hashes that a task holds, all ranges together. */
  private val atATime = 4 << 20

  /** Hashes that are sent at once; a larger array has to be found a place of its own in the heap. */
  private val largest = 1 << 15

  private final case class Part(var hashes: Array[Long], var used: Int) {
    def grow(most: Int): Unit =
      hashes = java.util.Arrays.copyOf(hashes, math.min(hashes.length * 2, most))
  }

  /** What a task sends. */
  sealed trait Piece extends Serializable
  final case class Hashes(hashes: Array[Long]) extends Piece
  final case class Told(report: BootstrapWork.Report) extends Piece

  /** The hashes of one range that come more than once, each once. */
  def repeated(all: Seq[Array[Long]]): Array[Long] = {
    val count = all.map(_.length).sum
    val hasRoom = count < Int.MaxValue / 2 // for the sort's half
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

  /** Where the hashes end that have the upper bytes of the one at `from`. */
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

  /** Sorts the first ones by their upper bytes.
    * @return where they are now */
  private def sorted(hashes: Array[Long], count: Int): Int = {
    val records = new LongArray(MemoryBlock.fromLongArray(hashes))
    RadixSort.sort(records, count.toLong, firstByte, lastByte, false, false)
  }

  /** Sorting by the upper bytes brings equal ones together, with few others. */
  private val firstByte = 5
  private val lastByte = 7
  private val lowerBits = 40
}
