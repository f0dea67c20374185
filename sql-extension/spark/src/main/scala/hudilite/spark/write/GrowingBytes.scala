package hudilite.spark.write

import java.io.OutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import org.apache.parquet.bytes.BytesInput

/** Growing buffer for the bytes of one page. Its array is reused for the next pages. */
final private[write] class GrowingBytes extends OutputStream {
  import GrowingBytes.{least, most, viewOf}

  private var bytes = new Array[Byte](least)
  private var view = viewOf(bytes)
  private var used = 0

  def size: Int = used

  def capacity: Int = bytes.length

  /** Bytes written so far, without a copy; valid until [[clear]]. */
  def written: BytesInput = written(used)

  /** The first `count` bytes, without a copy; valid until [[clear]]. */
  def written(count: Int): BytesInput = BytesInput.from(bytes, 0, count)

  /** Whether the bytes from `place` on are those of an array. */
  def isAt(place: Int, of: Array[Byte], at: Int, length: Int): Boolean =
    Arrays.equals(bytes, place, place + length, of, at, at + length)

  /** Copies bytes from `place` on to another buffer. */
  def copyTo(to: GrowingBytes, place: Int, length: Int): Unit = to.write(bytes, place, length)

  def clear(): Unit = used = 0

  override def write(one: Int): Unit = {
    reserve(1)
    bytes(used) = one.toByte
    used += 1
  }

  override def write(from: Array[Byte], at: Int, length: Int): Unit = {
    reserve(length)
    System.arraycopy(from, at, bytes, used, length)
    used += length
  }

  /** Writes bytes with their length before them, as Parquet's PLAIN encoding has them. */
  def putBytes(from: Array[Byte], at: Int, length: Int): Unit = {
    putInt(length)
    write(from, at, length)
  }

  /** Writes four bytes, little-endian. */
  def putInt(value: Int): Unit = {
    reserve(Integer.BYTES)
    view.putInt(used, value)
    used += Integer.BYTES
  }

  /** Writes eight bytes, little-endian. */
  def putLong(value: Long): Unit = {
    reserve(java.lang.Long.BYTES)
    view.putLong(used, value)
    used += java.lang.Long.BYTES
  }

  private def reserve(more: Int): Unit = {
    val needed = Math.addExact(used, more)
    if (needed > bytes.length) {
      val twice = math.min(bytes.length * 2L, most).toInt
      bytes = Arrays.copyOf(bytes, math.max(needed, twice))
      view = viewOf(bytes)
    }
  }
}

private object GrowingBytes {
  private val least = 1024 // bytes of a new buffer
  private val most = Int.MaxValue - 8L // bytes, limit of a Java array

  private def viewOf(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
}
