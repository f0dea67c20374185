package hudilite.spark.write

import java.io.OutputStream
import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger
import org.apache.parquet.column.{Encoding, ParquetProperties}
import org.apache.parquet.io.api.Binary

/** Values writer for Parquet's DELTA_BYTE_ARRAY encoding, for texts that repeat most of the text
  * before. Writes the bytes of a text without an intermediate stream.
  * Source: parquet-format's Encodings; the bytes are those of parquet-java's DeltaByteArrayWriter.
  */
final private[write] class DeltaTexts(properties: ParquetProperties) extends ValuesWriter {
  private val alike, others = new DeltaBinaryPackingValuesWriterForInteger(
    properties.getInitialSlabSize,
    properties.getPageSizeThreshold,
    properties.getAllocator
  )
  private val bytes = new GrowingBytes
  private var last = Array.empty[Byte]
  private var lastLength = 0

  private val taken = new OutputStream {
    override def write(one: Int): Unit = take(Array(one.toByte), 0, 1)
    override def write(from: Array[Byte], at: Int, length: Int): Unit = take(from, at, length)
  }

  /** Reads reused bytes in place, without a copy. */
  override def writeBytes(value: Binary): Unit =
    if (value.length == 0) take(Array.empty, 0, 0) else value.writeTo(taken)

  private def take(from: Array[Byte], at: Int, length: Int): Unit = {
    val shorter = math.min(lastLength, length)
    val differs = Arrays.mismatch(last, 0, shorter, from, at, at + shorter)
    val same = if (differs < 0) shorter else differs
    alike.writeInteger(same)
    others.writeInteger(length - same)
    bytes.write(from, at + same, length - same)
    if (last.length < length) last = Arrays.copyOf(last, length * 2)
    System.arraycopy(from, at + same, last, same, length - same)
    lastLength = length
  }

  override def getBufferedSize: Long =
    alike.getBufferedSize + others.getBufferedSize + bytes.size

  override def getBytes: BytesInput =
    BytesInput.concat(alike.getBytes, others.getBytes, bytes.written)

  override def getEncoding: Encoding = Encoding.DELTA_BYTE_ARRAY

  override def reset(): Unit = {
    alike.reset()
    others.reset()
    bytes.clear()
    lastLength = 0
  }

  override def close(): Unit = {
    alike.close()
    others.close()
  }

  override def getAllocatedSize: Long =
    alike.getAllocatedSize + others.getAllocatedSize + bytes.capacity

  override def memUsageString(prefix: String): String =
    s"$prefix DELTA_BYTE_ARRAY ${getBufferedSize} bytes"
}
