package hudilite.spark.write

import java.io.OutputStream
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.io.api.Binary

/** Values of one page as they are, in one array: Parquet's PLAIN encoding of numbers and of bytes of any
  * length, without a stream between a value and its bytes. What [[getBytes]] gives holds until
  * [[reset]].
  * Source: parquet-format's Encodings; parquet-java's PlainValuesWriter, whose bytes these are.
  */
final private[write] class PlainValues extends ValuesWriter {
  private var bytes = new Array[Byte](PlainValues.least)
  private var view = PlainValues.viewOf(bytes)
  private var used = 0

  private val sink = new OutputStream {
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
  }

  override def writeBytes(value: Binary): Unit = {
    writeInteger(value.length)
    value.writeTo(sink)
  }

  override def writeInteger(value: Int): Unit = {
    reserve(Integer.BYTES)
    view.putInt(used, value)
    used += Integer.BYTES
  }

  override def writeLong(value: Long): Unit = {
    reserve(java.lang.Long.BYTES)
    view.putLong(used, value)
    used += java.lang.Long.BYTES
  }

  override def writeFloat(value: Float): Unit =
    writeInteger(java.lang.Float.floatToRawIntBits(value))

  override def writeDouble(value: Double): Unit =
    writeLong(java.lang.Double.doubleToRawLongBits(value))

  override def getBufferedSize: Long = used.toLong
  override def getBytes: BytesInput = BytesInput.from(bytes, 0, used)
  override def getEncoding: Encoding = Encoding.PLAIN
  override def reset(): Unit = used = 0
  override def getAllocatedSize: Long = bytes.length.toLong
  override def memUsageString(prefix: String): String = s"$prefix plain values, $used bytes"

  private def reserve(more: Int): Unit = {
    val needed = Math.addExact(used, more)
    if (needed > bytes.length) {
      bytes = java.util.Arrays.copyOf(bytes,
        math.max(needed.toLong, math.min(bytes.length * 2L, PlainValues.most)).toInt)
      view = PlainValues.viewOf(bytes)
    }
  }
}

private object PlainValues {
  private val least = 1024 // bytes
  private val most = Int.MaxValue - 8L // of an array

  private def viewOf(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
}
