package hudilite.index

import java.nio.ByteBuffer

/** Reads Hudi's bytes of a filter; every size is held against the bytes that are there before it is used.
  * @param buffer the whole filter, big-endian */
private[index] final class BloomFilterBytes(buffer: ByteBuffer) {
  import BloomFilter.{corrupt, Dynamic, Simple}
  import BloomFilterBytes.Head

  def filter(typeCode: String): BloomFilter = {
    val read = typeCode match {
      case Simple => simple()
      case Dynamic => dynamic()
      case other => throw corrupt(s"its type code is $other, not $Simple or $Dynamic")
    }
    if (buffer.hasRemaining) throw corrupt(s"${buffer.remaining} bytes are left over")
    read
  }

  private def simple(): BloomFilter = {
    val at = buffer.position()
    val head = readHead()
    buffer.position(at)
    val row = readRow(head)
    val entries = math.max(1, (math.log(2) * head.bits / head.hashes).toInt)
    val keys = keysIn(row, head)
    BloomFilter.filled(entries, head.hashes, head.bits, carriedLimit(head), Simple, Array(row), keys)
  }

  private def dynamic(): BloomFilter = {
    val head = readHead()
    val entries = int("entries per row", 1, Int.MaxValue)
    val inLastRow = int("keys in the last row", 0, Int.MaxValue)
    val rows = int("rows", 1, buffer.remaining / BloomFilter.bytesOf(head.bits))
    val read = Array.fill(rows)(readRow(head))
    BloomFilter.filled(entries, head.hashes, head.bits, carriedLimit(head), Dynamic, read, inLastRow)
  }

  private def readHead(): Head = {
    int("version", -1, -1)
    val hashes = int("number of hashes", 1, 1000)
    if (!buffer.hasRemaining || buffer.get() != 1) throw corrupt("its hash is not Murmur")
    Head(hashes, int("number of bits", 1, Int.MaxValue - 7))
  }

  private def readRow(expected: Head): Array[Byte] = {
    if (readHead() != expected) throw corrupt("its rows differ in size")
    val length = BloomFilter.bytesOf(expected.bits)
    if (length > buffer.remaining)
      throw corrupt(s"it claims $length bytes where ${buffer.remaining} are left")
    val row = new Array[Byte](length)
    buffer.get(row)
    row
  }

  private def int(what: String, min: Int, max: Int): Int = {
    if (buffer.remaining < Integer.BYTES) throw corrupt(s"it ends before its $what")
    val value = buffer.getInt()
    if (value < min || value > max) throw corrupt(s"its $what is $value")
    value
  }

  /** Keys up to which a carried filter grows row by row: what [[BloomFilter.maxBytes]] hold. */
  private def carriedLimit(head: Head): Long =
    (BloomFilter.maxBytes.toLong * 8 * math.log(2) / head.hashes).toLong

  private def keysIn(row: Array[Byte], head: Head): Int = {
    val set = row.iterator.map(b => Integer.bitCount(b & 0xff).toLong).sum
    val free = math.max(1 - set.toDouble / head.bits, 1.0 / head.bits)
    math.ceil(-head.bits.toDouble / head.hashes * math.log(free)).toInt
  }
}

private[index] object BloomFilterBytes {

  /** Geometry at the head of a filter and of each row. */
  private final case class Head(hashes: Int, bits: Int)
}
