package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

/** Buffer of keys of one length that are to be added to a filter. The keys are hashed side by side:
  * every loop runs over all of them, so that the CPU processes several at once. The hashes are
  * those of [[BloomHash]].
  * @param length length of each key in bytes, 1 or more */
final private[index] class BloomLanes(shape: BloomShape, length: Int) {
  import BloomHash.multiplier
  import BloomLanes.count

  private val blocks = Array.ofDim[Int](length >> 2, count)
  private val tails, seeds = new Array[Int](count)
  private var used = 0

  /** 2^64 / bits, rounded up, for a remainder without a division: if `low` is the lower 64 bits of
    * `n * inverse`, then `n % bits` is the upper 64 bits of `low * bits`. */
  private val inverse = java.lang.Long.divideUnsigned(-1L, shape.bits.toLong) + 1

  /** Adds a key, and sets the bits of all keys if the buffer is full.
    * @param key its bytes may change after the call
    * @param row row that receives the bits, at the latest with the next [[drain]]; the same row
    *            until then */
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

  /** Sets the bits of all keys in the buffer and empties it. */
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

  /** Sets the bits at the positions of [[BloomHash.position]], which two multiplications compute
    * instead of a division. */
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

  /** Number of keys that are hashed at once. */
  private val count = 128

  def set(row: Array[Byte], bit: Int): Unit =
    row(bit >> 3) = (row(bit >> 3) | (1 << (bit & 7))).toByte
}
