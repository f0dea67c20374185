package hudilite.format

import java.io.ByteArrayOutputStream

import scala.annotation.tailrec

/** Writer of fields of protocol buffers, the form of an HFile's trailer and file info. */
private[format] object HFileProto {
  private val sevenBits = 0x7f

  /** Writes a field with an integer; a negative one takes ten bytes. */
  def putNumber(out: ByteArrayOutputStream, field: Int, value: Long): Unit = {
    putVarint(out, field.toLong << 3)
    putVarint(out, value)
  }

  /** Writes a field with bytes. */
  def putBytes(out: ByteArrayOutputStream, field: Int, value: Array[Byte]): Unit = {
    putVarint(out, field.toLong << 3 | 2)
    putCounted(out, value)
  }

  /** Writes the number of bytes, then the bytes. */
  def putCounted(out: ByteArrayOutputStream, value: Array[Byte]): Unit = {
    putVarint(out, value.length.toLong)
    out.writeBytes(value)
  }

  @tailrec private def putVarint(out: ByteArrayOutputStream, value: Long): Unit =
    if (value >= 0 && value <= sevenBits) out.write(value.toInt)
    else {
      out.write((value & sevenBits | sevenBits + 1).toInt)
      putVarint(out, value >>> 7)
    }
}
