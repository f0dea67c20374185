package hudilite.view

import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.{ByteBuffer, ByteOrder}
import java.security.MessageDigest
import java.util.HexFormat

import org.apache.parquet.io.SeekableInputStream

/** Hash of a Parquet file's footer. Needs one read of the file's end, unless the footer is
  * larger. */
private[view] object FooterHash {

  /** Size of one read in bytes. */
  private val readBytes = 64 << 10

  /** Size in bytes of the footer's length and the magic bytes, which end the file. */
  private val endBytes = 8

  private val digits = 32

  /** Returns the hash, as [[SourceFile.footerHash]] defines it.
    * @param length length of the file in bytes
    * @throws RuntimeException    if the file does not end like a Parquet file
    * @throws java.io.IOException if it cannot be read */
  def of(stream: SeekableInputStream, length: Long): String = {
    val tail = read(stream, math.max(0L, length - readBytes), length)
    val footer = footerBytes(tail, length)
    val sha = MessageDigest.getInstance("SHA-256")
    (length - footer until length - tail.length by readBytes.toLong).foreach { start =>
      sha.update(read(stream, start, math.min(start + readBytes, length - tail.length)))
    }
    val known = math.min(footer, tail.length.toLong).toInt
    sha.update(tail, tail.length - known, known)
    HexFormat.of().formatHex(sha.digest()).take(digits)
  }

  private def footerBytes(tail: Array[Byte], length: Long): Long = {
    def fail(reason: String) = throw new RuntimeException(s"is not a Parquet file: $reason")
    if (tail.length < endBytes) fail(s"it has $length bytes")
    val end = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).position(tail.length - endBytes)
    val footer = end.getInt.toLong + endBytes
    val magic = new String(tail.takeRight(magicText.length), US_ASCII)
    if (magic != magicText) fail(s"it ends with other bytes than $magicText")
    if (footer < endBytes || footer > length) fail(s"its footer would have $footer bytes")
    footer
  }

  private val magicText = "PAR1"

  private def read(stream: SeekableInputStream, start: Long, end: Long): Array[Byte] = {
    val bytes = new Array[Byte]((end - start).toInt)
    stream.seek(start)
    stream.readFully(bytes)
    bytes
  }
}
