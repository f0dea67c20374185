package hudilite.format

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import scala.annotation.tailrec

import org.apache.hadoop.io.WritableUtils

import hudilite.error.HudiliteException

/** Reader of a part of an HFile or a log file, from front to back. It compares every length with the
  * bytes that are left before it uses the length.
  * @param buffer  the part; reading moves its position
  * @param path    the file, for errors
  * @param damaged returns the error for a path and the reason why its file cannot be read */
private[format] final class HFileCursor(
    buffer: ByteBuffer,
    path: String,
    damaged: (String, String) => HudiliteException = HFileCursor.corrupt(_, _)
) {
  def remaining: Int = buffer.remaining

  def byte(): Byte = held(1).get()

  def short(): Int = held(2).getShort() & 0xffff

  def int(): Int = held(Integer.BYTES).getInt()

  def long(): Long = held(java.lang.Long.BYTES).getLong()

  /** Reads bytes, and returns a copy. */
  def bytes(length: Int): Array[Byte] = {
    held(length)
    val taken = new Array[Byte](length)
    buffer.get(taken)
    taken
  }

  def text(length: Int): String = new String(bytes(length), UTF_8)

  /** Returns a cursor over the next bytes, and moves past them. */
  def part(length: Int): HFileCursor = new HFileCursor(slice(length), path, damaged)

  /** Returns the next bytes, and moves past them. */
  def slice(length: Int): ByteBuffer = {
    val taken = held(length).slice(buffer.position(), length)
    buffer.position(buffer.position() + length)
    taken
  }

  /** Returns the remaining bytes, and does not move past them. */
  def ahead: ByteBuffer = buffer.slice()

  /** Returns a cursor over other bytes of the same file. */
  def over(bytes: Array[Byte]): HFileCursor =
    new HFileCursor(ByteBuffer.wrap(bytes), path, damaged)

  /** Reads a number in Hadoop's variable-length form: one byte, or a first byte that contains how
    * many bytes follow. */
  def hadoopLong(): Long = {
    val first = byte()
    val following = WritableUtils.decodeVIntSize(first) - 1
    val value = (0 until following).foldLeft(0L)((sum, _) => sum << 8 | byte() & 0xff)
    if (following == 0) first.toLong
    else if (WritableUtils.isNegativeVInt(first)) ~value
    else value
  }

  /** Reads a length in Hadoop's form, and returns a cursor over that many bytes. */
  def hadoopPart(): HFileCursor = part(counted(hadoopLong()))

  /** Reads a length in the form of protocol buffers, and returns a cursor over that many bytes. */
  def protoPart(): HFileCursor = part(counted(varint(0, 0L)))

  /** Reads the rest as one protocol buffer. Returns the number of each field, with its integer or a
    * cursor over its bytes. */
  def protoFields(): Vector[(Int, Either[Long, HFileCursor])] =
    Vector.unfold(this)(c => Option.when(c.remaining > 0)(protoField() -> c))

  def fail(reason: String): Nothing = throw corrupt(reason)

  def corrupt(reason: String): HudiliteException = damaged(path, reason)

  /** Fails for a feature of HFiles that Hudi does not use in its bootstrap index. */
  def refuse(fact: String): Nothing = throw HFileCursor.corrupt(path, fact, HFileCursor.whatIsRead)

  private def protoField(): (Int, Either[Long, HFileCursor]) = {
    val tag = varint(0, 0L)
    val value = tag & 7 match {
      case 0 => Left(varint(0, 0L))
      case 2 => Right(protoPart())
      case other => fail(s"it contains a field of the unknown type $other")
    }
    (tag >>> 3).toInt -> value
  }

  @tailrec private def varint(shift: Int, sum: Long): Long = {
    val next = byte()
    val value = sum | (next & 0x7fL) << shift
    if (next >= 0) value
    else if (shift >= java.lang.Long.SIZE - 7) fail("it contains an endless number")
    else varint(shift + 7, value)
  }

  private def counted(length: Long): Int =
    if (length < 0 || length > buffer.remaining) tooLong(length) else length.toInt

  private def held(length: Int): ByteBuffer =
    if (length < 0 || length > buffer.remaining) tooLong(length.toLong) else buffer

  private def tooLong(length: Long): Nothing =
    fail(s"it declares $length bytes, but only ${buffer.remaining} are left")
}

private[format] object HFileCursor {
  private val restore =
    "Restore the file from a copy: bootstrapped rows cannot be read without it."
  private val whatIsRead =
    "hudilite reads what Hudi writes: no compression or GZ, and one level of index."

  def corrupt(path: String, reason: String, fix: String = restore): HudiliteException =
    HudiliteException(
      "HUDILITE_CORRUPT_TIMELINE",
      "path" -> path,
      "reason" -> reason,
      "fix" -> fix
    )
}
