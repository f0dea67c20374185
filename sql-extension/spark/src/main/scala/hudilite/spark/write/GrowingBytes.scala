package hudilite.spark.write

import java.io.OutputStream
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.bytes.BytesInput

/** Bytes of one page in one array, which stays for the pages after it. */
final private[write] class GrowingBytes extends OutputStream {
  import GrowingBytes.{least, most, viewOf}

  private var bytes = new Array[Byte](least)
  private var view = viewOf(bytes)
  private var used = 0

  def size: Int = used

  def capacity: Int = bytes.length

  /** What is there, until [[clear]]. */
  def lent: BytesInput = BytesInput.from(bytes, 0, used)

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

  /** Four bytes, the least first. */
  def putInt(value: Int): Unit = {
    reserve(Integer.BYTES)
    view.putInt(used, value)
    used += Integer.BYTES
  }

  /** Eight bytes, the least first. */
  def putLong(value: Long): Unit = {
    reserve(java.lang.Long.BYTES)
    view.putLong(used, value)
    used += java.lang.Long.BYTES
  }

  private def reserve(more: Int): Unit = {
    val needed = Math.addExact(used, more)
    if (needed > bytes.length) {
      val twice = math.min(bytes.length * 2L, most).toInt
      bytes = java.util.Arrays.copyOf(bytes, math.max(needed, twice))
      view = viewOf(bytes)
    }
  }
}

private object GrowingBytes {
  private val least = 1024 // bytes
  private val most = Int.MaxValue - 8L // of an array

  private def viewOf(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
}
