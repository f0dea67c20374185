package hudilite.spark.write

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.io.api.Binary

/** Values writer for Parquet's PLAIN encoding of numbers, of variable-length bytes, and of numbers in bytes
  * of fixed length. Writes values without an intermediate stream.
  * Source: parquet-format's Encodings; the bytes are those of parquet-java's PlainValuesWriter.
  * @param length of such bytes, 0 for other values */
final private[write] class PlainValues(length: Int = 0) extends ValuesWriter {

  /** Bytes of the page. */
  val bytes = new GrowingBytes

  override def writeBytes(value: Binary): Unit = {
    if (length == 0) bytes.putInt(value.length)
    value.writeTo(bytes)
  }

  override def writeInteger(value: Int): Unit = bytes.putInt(value)
  override def writeLong(value: Long): Unit =
    if (length == 0) bytes.putLong(value) else bytes.putLast(value, length)

  override def writeFloat(value: Float): Unit =
    bytes.putInt(java.lang.Float.floatToIntBits(value))

  override def writeDouble(value: Double): Unit =
    bytes.putLong(java.lang.Double.doubleToLongBits(value))

  override def getBufferedSize: Long = bytes.size.toLong
  override def getBytes: BytesInput = bytes.written
  override def getEncoding: Encoding = Encoding.PLAIN
  override def reset(): Unit = bytes.clear()
  override def getAllocatedSize: Long = bytes.capacity
  override def memUsageString(prefix: String): String = s"$prefix PLAIN ${bytes.size} bytes"
}
