package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

/** Bit positions of a key in a bloom filter: Hadoop's MurmurHash2 applied repeatedly, with each
  * hash as the seed of the next. The seed is used only when a block is mixed in, so the blocks of a
  * key are mixed once and kept.
  * Source: hudi-format §4.7.
  * @param bits size of the filter */
private[index] final class BloomHash(bits: Int) {
  import BloomHash.multiplier

  private var blocks = new Array[Int](16)
  private var blockCount = 0
  private var tail = 0
  private var tailLength = 0
  private var length = 0
  private var seed = 0

  /** Sets the key, whose positions [[next]] then returns. */
  def start(key: UTF8String): Unit = {
    length = key.numBytes
    require(length > 0, "INTERNAL: an empty record key cannot be hashed")
    blockCount = length >> 2
    tailLength = length & 3
    if (blocks.length < blockCount) blocks = new Array[Int](blockCount * 2)
    var i = 0
    while (i < blockCount) {
      blocks(i) = BloomHash.block(key, i)
      i += 1
    }
    tail = BloomHash.tail(key)
    seed = 0
  }

  /** Returns the position of the next bit, in [0, bits). */
  def next(): Int = BloomHash.position(nextHash(), bits)

  /** Returns the next hash, from which a filter of any size computes a position. */
  def nextHash(): Int = {
    var h = seed ^ length
    var i = 0
    while (i < blockCount) {
      h = h * multiplier ^ blocks(i)
      i += 1
    }
    if (tailLength != 0) h = (h ^ tail) * multiplier
    h ^= h >>> 13
    h *= multiplier
    h ^= h >>> 15
    seed = h
    h
  }
}

private[index] object BloomHash {
  val multiplier = 0x5bd1e995

  /** Number of hashes of a key that are kept when many filters are tested for it. Of the keys that
    * a filter does not contain, one in sixteen passes the test of these hashes. */
  val firsts = 4

  def position(hash: Int, bits: Int): Int = math.abs(hash % bits)

  /** Returns four bytes of a key, mixed.
    * @param number number of the block, from 0 on */
  def block(key: UTF8String, number: Int): Int = {
    val at = number << 2
    val bytes = (key.getByte(at) & 0xff) | (key.getByte(at + 1) & 0xff) << 8 |
      (key.getByte(at + 2) & 0xff) << 16 | key.getByte(at + 3) << 24
    val k = bytes * multiplier
    (k ^ (k >>> 24)) * multiplier
  }

  /** Returns the bytes after the last whole block. They enter big-endian, unlike the blocks, and
    * with their sign: a non-ASCII byte also changes the upper bits. */
  def tail(key: UTF8String): Int = {
    val length = key.numBytes
    var bits = 0
    var at = length & ~3
    while (at < length) {
      bits ^= key.getByte(at) << ((length - 1 - at) << 3)
      at += 1
    }
    bits
  }
}
