package hudilite.spark.write

import java.io.OutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import org.apache.parquet.bytes.BytesInput

/** Growing buffer for the bytes of one page, in arrays of at most 256 KiB, because large ones start
  * a collection of the whole heap. The bytes of one call are in one array, which is larger if they
  * are. The arrays are reused for the next pages. A place is the number of an array and of a byte in
  * it: that of the first byte of a call. */
final private[write] class GrowingBytes extends OutputStream {
  import GrowingBytes._

  private var chunks = Array(new Array[Byte](least))
  private var views = chunks.map(viewOf)
  private var ends = Array(0) // used bytes of each chunk before the current one
  private var current = 0
  private var bytes = chunks(0)
  private var view = views(0)
  private var used = 0 // bytes of the current chunk
  private var before = 0 // bytes of the chunks before it

  def size: Int = before + used

  def capacity: Long = chunks.map(_.length.toLong).sum

  /** Bytes of the largest array. */
  def largestArray: Int = chunks.map(_.length).max

  /** Bytes written so far, without a copy; valid until [[clear]]. */
  def written: BytesInput =
    if (current == 0) BytesInput.from(bytes, 0, used) else written(current, used)

  /** The bytes before a place, without a copy; valid until [[clear]]. */
  def writtenUntil(place: Int): BytesInput = written(place >>> placeBits, place & placeMask)

  /** The four bytes at a place, little-endian. */
  def intAt(place: Int): Int = views(place >>> placeBits).getInt(place & placeMask)

  /** The eight bytes at a place, little-endian. */
  def longAt(place: Int): Long = views(place >>> placeBits).getLong(place & placeMask)

  /** Whether [[putBytes]] has put the bytes of an array at a place. */
  def isAt(place: Int, of: Array[Byte], at: Int, length: Int): Boolean = intAt(place) == length && {
    val start = (place & placeMask) + Integer.BYTES
    Arrays.equals(chunks(place >>> placeBits), start, start + length, of, at, at + length)
  }

  /** Copies what [[putBytes]] has put at a place to another buffer. */
  def copyTo(to: GrowingBytes, place: Int): Unit =
    to.putBytes(chunks(place >>> placeBits), (place & placeMask) + Integer.BYTES,
      intAt(place)): Unit

  /** Forgets all bytes; their places are taken again. */
  def clear(): Unit = {
    if (chunks.exists(_.length > most)) {
      chunks = chunks.filter(_.length <= most)
      if (chunks.isEmpty) chunks = Array(new Array[Byte](least))
      views = chunks.map(viewOf)
      ends = new Array[Int](chunks.length)
    }
    before = 0
    point(0)
  }

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

  /** Writes the last bytes of a number, big-endian.
    * @param length how many, 1 to 8 */
  def putLast(value: Long, length: Int): Unit = {
    reserve(length)
    var i = 1
    while (i <= length) {
      bytes(used + length - i) = (value >>> (java.lang.Byte.SIZE * (i - 1))).toByte
      i += 1
    }
    used += length
  }

  /** Writes bytes with their length before them, as Parquet's PLAIN encoding has them.
    * @return their place */
  def putBytes(from: Array[Byte], at: Int, length: Int): Int = {
    reserve(Math.addExact(Integer.BYTES, length))
    val place = (current << placeBits) | used
    view.putInt(used, length)
    System.arraycopy(from, at, bytes, used + Integer.BYTES, length)
    used += Integer.BYTES + length
    place
  }

  /** Writes four bytes, little-endian. If all that is written are such numbers, the place of the
    * n-th is 4 n. */
  def putInt(value: Int): Unit = {
    reserve(Integer.BYTES)
    view.putInt(used, value)
    used += Integer.BYTES
  }

  /** Writes eight bytes; otherwise as above. */
  def putLong(value: Long): Unit = {
    reserve(java.lang.Long.BYTES)
    view.putLong(used, value)
    used += java.lang.Long.BYTES
  }

  /** The bytes of the first chunks, and some of the one after them. */
  private def written(whole: Int, more: Int): BytesInput = {
    val first = Seq.tabulate(whole)(i =>
      BytesInput.from(chunks(i), 0, if (i < current) ends(i) else used)
    )
    val rest = Option.when(more > 0)(BytesInput.from(chunks(whole), 0, more))
    BytesInput.concat((first ++ rest): _*)
  }

  private def reserve(more: Int): Unit = if (more > bytes.length - used) makeRoom(more)

  private def makeRoom(more: Int): Unit = {
    Math.addExact(size, more): Unit
    if (used.toLong + more <= most)
      replace(Arrays.copyOf(bytes, math.min(most, Seq(least, used + more, bytes.length * 2).max)))
    else {
      if (used > 0) nextChunk()
      if (more > bytes.length) replace(new Array[Byte](math.max(more, most)))
    }
  }

  /** Puts an array in place of the current one. */
  private def replace(by: Array[Byte]): Unit = {
    chunks(current) = by
    views(current) = viewOf(by)
    bytes = by
    view = views(current)
  }

  private def nextChunk(): Unit = {
    ends(current) = used
    before += used
    if (current + 1 == chunks.length) {
      val room = chunks.length * 2
      chunks = Arrays.copyOf(chunks, room)
      views = Arrays.copyOf(views, room)
      ends = Arrays.copyOf(ends, room)
      (current + 1 until room).foreach { i =>
        chunks(i) = none
        views(i) = viewOf(none)
      }
    }
    point(current + 1)
  }

  private def point(chunk: Int): Unit = {
    current = chunk
    bytes = chunks(chunk)
    view = views(chunk)
    used = 0
  }
}

private object GrowingBytes {
  private val least = 1024 // bytes of a new buffer
  private val placeBits = 18 // of a place, for the byte in its chunk
  private val most = 1 << placeBits // bytes of a chunk
  private val placeMask = most - 1
  private val none = Array.emptyByteArray

  private def viewOf(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
}
