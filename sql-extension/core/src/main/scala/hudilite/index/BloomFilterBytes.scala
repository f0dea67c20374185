package hudilite.index

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.Base64

import scala.util.{Try, Using}

import hudilite.error.HudiliteException

/** Hudi's serialized form of a filter, big-endian, in base64. SIMPLE is a header and bits.
  * DYNAMIC_V0 is a header, keys per row, keys in the last row, number of rows, and each row as a
  * SIMPLE filter. Source: hudi-format §4.7. */
private[index] object BloomFilterBytes {
  private val version = -1
  private val murmur: Byte = 1
  private val headBytes = 3 * Integer.BYTES + 1
  private val mostHashes = 1000
  private val dynamicHeadText = 36 // base64 characters, which contain the header's 25 bytes

  def writeSimple(shape: BloomShape, row: Array[Byte]): String = text(Seq(head(shape), row))

  def writeDynamic(shape: BloomShape, rows: Array[Array[Byte]], inLastRow: Int): String = {
    val numbers = ByteBuffer.allocate(3 * Integer.BYTES)
      .putInt(shape.entries).putInt(inLastRow).putInt(rows.length).array
    text(Seq(head(shape), numbers) ++ rows.flatMap(row => Seq(head(shape), row)))
  }

  def read(base64: String, typeCode: String, path: String): BloomFilter = {
    if (base64.length / 4L * 3 > BloomShape.maxBytes)
      throw corrupt(path, s"is larger than ${BloomShape.maxBytes} bytes")
    new BloomFilterBytes(decoded(base64, path), path).filter(typeCode)
  }

  /** Returns the number of rows, from the header of a filter only. */
  def rowCount(base64: String, typeCode: String, path: String): Int = typeCode match {
    case BloomFilter.Simple => 1
    case BloomFilter.Dynamic =>
      new BloomFilterBytes(decoded(base64.take(dynamicHeadText), path), path).dynamicHead()._3
    case other => throw unknown(path, other)
  }

  private def decoded(base64: String, path: String): ByteBuffer = ByteBuffer.wrap(
    Try(Base64.getDecoder.decode(base64)).getOrElse(throw corrupt(path, "is not base64"))
  )

  private def head(shape: BloomShape): Array[Byte] = ByteBuffer.allocate(headBytes)
    .putInt(version).putInt(shape.hashes).put(murmur).putInt(shape.bits).array

  /** Encodes parts one after another, without an array that contains all of them. */
  private def text(parts: Seq[Array[Byte]]): String = {
    val text = new ByteArrayOutputStream((parts.map(_.length.toLong).sum.toInt + 2) / 3 * 4)
    Using.resource(Base64.getEncoder.wrap(text))(to => parts.foreach(part => to.write(part)))
    text.toString(ISO_8859_1)
  }

  private def unknown(path: String, typeCode: String): HudiliteException =
    corrupt(path, s"has the type code $typeCode, not SIMPLE or DYNAMIC_V0")

  private def corrupt(path: String, reason: String): HudiliteException =
    HudiliteException(
      "HUDILITE_CORRUPT_DATA_FILE",
      "path" -> path,
      "reason" -> s"the bloom filter in its footer $reason"
    )

  /** Sizes in the header of a filter and of each row. */
  private final case class Head(hashes: Int, bits: Int)
}

/** Reader of one filter. Every size is checked against the available bytes before it is used. */
private[index] final class BloomFilterBytes private (buffer: ByteBuffer, path: String) {
  import BloomFilterBytes._

  def filter(typeCode: String): BloomFilter = {
    val read = typeCode match {
      case BloomFilter.Simple => simple()
      case BloomFilter.Dynamic => dynamic()
      case other => throw unknown(path, other)
    }
    if (buffer.hasRemaining) fail(s"is followed by ${buffer.remaining} further bytes")
    read
  }

  private def simple(): BloomFilter = {
    val head = readHead()
    val row = readBits(head)
    val shape = BloomShape.ofSimple(head.hashes, head.bits)
    new BloomFilter(shape, carriedLimit(shape), BloomFilter.Simple, Array(row), keysIn(row, head))
  }

  private def dynamic(): BloomFilter = {
    val (head, (entries, inLastRow), rowCount) = dynamicHead()
    val shape = BloomShape(entries, head.hashes, head.bits)
    val there = buffer.remaining / (headBytes + shape.bytes)
    if (rowCount > there) fail(s"has $rowCount as its number of rows")
    val rows = Array.fill(rowCount)(readRow(head))
    new BloomFilter(shape, carriedLimit(shape), BloomFilter.Dynamic, rows, inLastRow)
  }

  /** Reads the header: sizes of a row, keys per row and in the last row, number of rows. */
  private def dynamicHead(): (Head, (Int, Int), Int) = {
    val head = readHead()
    val entries = readInt("number of entries", 1, Int.MaxValue)
    val inLastRow = readInt("number of keys", 0, Int.MaxValue)
    (head, (entries, inLastRow), readInt("number of rows", 1, Int.MaxValue))
  }

  private def readRow(expected: Head): Array[Byte] = {
    if (readHead() != expected) fail("has rows of different sizes")
    readBits(expected)
  }

  private def readHead(): Head = {
    readInt("version", version, version)
    val hashes = readInt("number of hashes", 1, mostHashes)
    if (!buffer.hasRemaining || buffer.get() != murmur) fail("does not use Murmur hashes")
    Head(hashes, readInt("number of bits", 1, Int.MaxValue))
  }

  private def readBits(head: Head): Array[Byte] = {
    val length = ((head.bits + 7L) / 8).toInt
    if (length > buffer.remaining)
      fail(s"declares $length bytes, but only ${buffer.remaining} are left")
    val row = new Array[Byte](length)
    buffer.get(row)
    row
  }

  private def readInt(what: String, min: Int, max: Int): Int = {
    if (buffer.remaining < Integer.BYTES) fail(s"ends before its $what")
    val value = buffer.getInt()
    if (value < min || value > max) fail(s"has $value as its $what")
    value
  }

  /** Returns the limit of a filter that is carried over from a footer. It may grow row by row as
    * long as it can be read again, not only to stock Hudi's limit. */
  private def carriedLimit(shape: BloomShape): Long =
    (BloomShape.maxBytes / (headBytes + shape.bytes)).toLong * shape.entries

  private def keysIn(row: Array[Byte], head: Head): Int = {
    val set = row.foldLeft(0L)((sum, byte) => sum + Integer.bitCount(byte & 0xff))
    val free = math.max(1 - set.toDouble / head.bits, 1.0 / head.bits)
    math.ceil(-head.bits.toDouble / head.hashes * math.log(free)).toInt
  }

  private def fail(reason: String): Nothing = throw corrupt(path, reason)
}
