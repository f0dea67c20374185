package hudilite.index

import java.util.Arrays

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Distinct record keys in the order of their bytes, packed into one array.
  * @param bytes the keys, one after another
  * @param ends  end of each key in the array */
final class SortedKeys private (bytes: Array[Byte], ends: Array[Int]) extends Serializable {

  def size: Int = ends.length

  def isEmpty: Boolean = ends.isEmpty

  /** Returns the key with a number, from 0 on. It is valid as long as this object. */
  def apply(i: Int): UTF8String = {
    val begin = if (i == 0) 0 else ends(i - 1)
    UTF8String.fromBytes(bytes, begin, ends(i) - begin)
  }

  /** Returns the number of a key, -1 if it is not one of these. */
  def find(key: UTF8String): Int = {
    val at = countBefore(key, isIncluded = false, _ => ())
    if (at < size && apply(at) == key) at else -1
  }

  /** Hash of all keys. It is equal for equal keys, and practically never for different ones. */
  @transient lazy val fingerprint: Int = Arrays.hashCode(bytes) * 31 + Arrays.hashCode(ends)

  /** First hashes of each key for bloom filters, [[BloomHash.firsts]] per key. */
  @transient private[index] lazy val firstHashes: Array[Int] = {
    val hash = new BloomHash(1)
    val found = new Array[Int](size * BloomHash.firsts)
    (0 until size).foreach { i =>
      hash.start(apply(i))
      (0 until BloomHash.firsts).foreach(n => found(i * BloomHash.firsts + n) = hash.nextHash())
    }
    found
  }

  /** Returns the number of keys before a bound, by binary search.
    * @param isIncluded whether a key equal to the bound counts
    * @param compared   called with the number of comparisons with the bound */
  def countBefore(bound: UTF8String, isIncluded: Boolean, compared: Long => Unit): Int = {
    val most = if (isIncluded) 1 else 0
    var low = 0
    var high = size
    var steps = 0
    while (low < high) {
      val middle = (low + high) >>> 1
      if (apply(middle).compareTo(bound) < most) low = middle + 1 else high = middle
      steps += 1
    }
    compared(steps.toLong)
    low
  }
}

object SortedKeys {
  val empty: SortedKeys = new SortedKeys(Array.emptyByteArray, Array.emptyIntArray)

  /** Builder that accepts keys in any order, and equal keys. */
  final class Builder {
    private var bytes = new Array[Byte](1 << 12)
    private var used = 0
    private var ends = new Array[Int](1 << 8)
    private var count = 0
    private var isSorted = true

    def add(key: UTF8String): Unit = {
      val step = if (count == 0) 1 else key.compareTo(last)
      if (step != 0) append(key)
      if (step < 0) isSorted = false
    }

    def result(): SortedKeys =
      if (isSorted) new SortedKeys(Arrays.copyOf(bytes, used), Arrays.copyOf(ends, count))
      else sorted

    /** Copies the keys in their order. Beside the copy, only their numbers need memory. */
    private def sorted: SortedKeys = {
      val order = Array.tabulate[Integer](count)(Int.box)
      Arrays.sort(order, (one: Integer, other: Integer) => compare(one, other))
      val into = new Array[Byte](used)
      val intoEnds = new Array[Int](count)
      var end, kept = 0
      for (at <- order.indices if at == 0 || compare(order(at - 1), order(at)) != 0) {
        val begin = beginOf(order(at))
        val length = ends(order(at)) - begin
        System.arraycopy(bytes, begin, into, end, length)
        end += length
        intoEnds(kept) = end
        kept += 1
      }
      if (kept == count) new SortedKeys(into, intoEnds)
      else new SortedKeys(Arrays.copyOf(into, end), Arrays.copyOf(intoEnds, kept))
    }

    private def compare(one: Int, other: Int): Int =
      Arrays.compareUnsigned(bytes, beginOf(one), ends(one), bytes, beginOf(other), ends(other))

    private def beginOf(number: Int): Int = if (number == 0) 0 else ends(number - 1)

    private def append(key: UTF8String): Unit = {
      val length = key.numBytes
      bytes = grown(bytes.length.toLong, used.toLong + length).fold(bytes)(Arrays.copyOf(bytes, _))
      key.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + used)
      used += length
      if (count == ends.length) ends = Arrays.copyOf(ends, count * 2)
      ends(count) = used
      count += 1
    }

    private def last: UTF8String = {
      val begin = beginOf(count - 1)
      UTF8String.fromBytes(bytes, begin, used - begin)
    }

    private def grown(has: Long, needs: Long): Option[Int] = {
      require(needs <= Builder.mostBytes, "INTERNAL: one task has more than 2 GiB of record keys")
      Option.when(needs > has)(math.min(math.max(has * 2, needs), Builder.mostBytes).toInt)
    }
  }

  private object Builder {
    val mostBytes: Long = Int.MaxValue - 16L
  }
}
