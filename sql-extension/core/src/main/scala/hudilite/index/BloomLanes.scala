package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

/** Keys of one length on their way into a filter, hashed side by side: every loop goes over all of
  * them, so that the machine takes several at once. The hashes are those of [[BloomHash]].
  * @param length of each key in bytes, 1 or more */
final private[index] class BloomLanes(shape: BloomShape, length: Int) {
  import BloomHash.multiplier
  import BloomLanes.count

  private val blocks = Array.ofDim[Int](length >> 2, count)
  private val tails, seeds = new Array[Int](count)
  private var used = 0

  /** 2^64 / bits, rounded up: what a number times this leaves beyond 64 bits is its rest by `bits`. */
  private val inverse = java.lang.Long.divideUnsigned(-1L, shape.bits.toLong) + 1

  /** @param key its bytes may change after the call
    * @param row that gets its bits, by the next [[drain]] at the latest; the same until then */
  def take(key: UTF8String, row: Array[Byte]): Unit = {
    var i = 0
    while (i < blocks.length) {
      blocks(i)(used) = BloomHash.block(key, i)
      i += 1
    }
    tails(used) = BloomHash.tail(key)
    seeds(used) = 0
    used += 1
    if (used == count) drain(row)
  }

  /** Sets the bits of all that were taken. */
  def drain(row: Array[Byte]): Unit = {
    var i = 0
    while (i < shape.hashes) {
      next(seeds, used)
      setAll(seeds, used, row, shape.bits)
      i += 1
    }
    used = 0
  }

  private def next(seeds: Array[Int], used: Int): Unit = {
    var lane = 0
    while (lane < used) {
      seeds(lane) ^= length
      lane += 1
    }
    var i = 0
    while (i < blocks.length) {
      mix(seeds, blocks(i), used)
      i += 1
    }
    if ((length & 3) != 0) mixTails(seeds, tails, used)
    finish(seeds, used)
  }

  private def mix(seeds: Array[Int], block: Array[Int], used: Int): Unit = {
    var lane = 0
    while (lane < used) {
      seeds(lane) = seeds(lane) * multiplier ^ block(lane)
      lane += 1
    }
  }

  private def mixTails(seeds: Array[Int], tails: Array[Int], used: Int): Unit = {
    var lane = 0
    while (lane < used) {
      seeds(lane) = (seeds(lane) ^ tails(lane)) * multiplier
      lane += 1
    }
  }

  private def finish(seeds: Array[Int], used: Int): Unit = {
    var lane = 0
    while (lane < used) {
      val h = (seeds(lane) ^ (seeds(lane) >>> 13)) * multiplier
      seeds(lane) = h ^ (h >>> 15)
      lane += 1
    }
  }

  /** The positions are those of [[BloomHash.position]], by two products instead of a division. */
  private def setAll(hashes: Array[Int], used: Int, row: Array[Byte], bits: Int): Unit = {
    var lane = 0
    while (lane < used) {
      val part = inverse * (math.abs(hashes(lane)) & 0xffffffffL)
      val bit = Math.multiplyHigh(part, bits.toLong) + (part >> 63 & bits)
      BloomLanes.set(row, bit.toInt)
      lane += 1
    }
  }
}

private[index] object BloomLanes {

  /** Keys at once. */
  private val count = 128

  def set(row: Array[Byte], bit: Int): Unit =
    row(bit >> 3) = (row(bit >> 3) | (1 << (bit & 7))).toByte
}
