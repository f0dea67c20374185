package hudilite.spark.read

import org.apache.avro.AvroRuntimeException
import org.apache.avro.io.{BinaryDecoder, DecoderFactory}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** Input of Avro records that lie in one array of bytes. */
private[read] final class AvroInput(content: Array[Byte]) {
  private var decoder = at(0, 0, None.orNull)
  private var limit = 0
  private var buffer = new Array[Byte](64)

  /** Decoder of the current record. */
  def in: BinaryDecoder = decoder

  /** Goes to a record. */
  def goTo(from: Int, length: Int): Unit = {
    decoder = at(from, length, decoder)
    limit = length
  }

  private def at(from: Int, length: Int, used: BinaryDecoder): BinaryDecoder =
    DecoderFactory.get.binaryDecoder(content, from, length, used)

  /** Reads the length of a text or of bytes. A damaged one is an error before memory is taken. */
  def readLength(): Int = {
    val length = decoder.readLong()
    if (length < 0 || length > limit)
      throw new AvroRuntimeException(s"a value has $length bytes, its record has $limit")
    length.toInt
  }

  /** Reads some bytes.
    * @return array that begins with them, valid until the next call */
  def read(length: Int): Array[Byte] = {
    if (length > buffer.length) buffer = new Array[Byte](math.max(length, 2 * buffer.length))
    decoder.readFixed(buffer, 0, length)
    buffer
  }

  /** Reads some bytes and appends them as one value. */
  def append(length: Int, to: WritableColumnVector): Unit =
    to.appendByteArray(read(length), 0, length): Unit
}
