package hudilite.spark.write

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Buffer of records of bytes, each with a number, in the order in which they were added (task
  * side). The first ones stay in memory, in arrays of equal size that the records after [[clear]]
  * reuse. The others, and all after a record that is larger than an array, spill to disk when
  * memory is short.
  * @param mostChunks number of arrays */
final class RecordBuffer(mostChunks: Int) {
  import RecordBuffer._

  private val chunks = ArrayBuffer.empty[Chunk]
  private var filled = 0 // chunks before the one that is being filled
  private var count = 0L
  private lazy val others = SpillableRows.open()
  private lazy val writer = new UnsafeRowWriter(2)
  private var hasOthers = false

  /** Number of records. */
  def size: Long = count

  /** Bytes of the largest array. */
  private[write] def largestArray: Int = chunks.map(_.bytes.length).maxOption.getOrElse(0)

  /** Adds a record; its bytes may change after the call.
    * @param number number of the record, which need not be unique */
  def add(number: Int, row: UnsafeRow): Unit =
    add(number, row.getBaseObject, row.getBaseOffset, row.getSizeInBytes)

  /** Adds a text; otherwise as above. */
  def add(number: Int, text: UTF8String): Unit =
    add(number, text.getBaseObject, text.getBaseOffset, text.numBytes)

  /** Returns the records from the first one on. They are valid until the buffer changes. */
  def records: Records = new Records

  /** Forgets all records and deletes their files. */
  def clear(): Unit = {
    chunks.foreach(_.used = 0)
    filled = 0
    count = 0
    if (hasOthers) others.clear()
    hasOthers = false
  }

  /** Forgets all records and frees the arrays. */
  def release(): Unit = {
    clear()
    chunks.clear()
  }

  private def add(number: Int, from: AnyRef, offset: Long, length: Int): Unit = {
    val needed = headerBytes.toLong + length
    if (!hasOthers && !hasRoom(needed)) hasOthers = true
    if (hasOthers) {
      writer.reset()
      writer.write(0, number)
      writer.write(1, UTF8String.fromAddress(from, offset, length))
      others.add(writer.getRow())
    } else chunks(filled).put(number, from, offset, length)
    count += 1
  }

  /** Whether the record goes into the chunk that is being filled, or a new one. */
  private def hasRoom(needed: Long): Boolean =
    if (needed > chunkBytes) false
    else if (filled < chunks.size && needed <= chunkBytes - chunks(filled).used) true
    else {
      val next = if (chunks.isEmpty) 0 else filled + 1
      val isLeft = next < mostChunks
      if (isLeft) {
        filled = next
        if (filled == chunks.size) chunks += new Chunk
      }
      isLeft
    }

  /** Records of the buffer, one after another; each is valid until `next`. */
  final class Records {
    private var chunk, at = 0
    private var rest = Option.empty[Iterator[UnsafeRow]]
    private var base: AnyRef = Array.emptyByteArray
    private var offset = 0L
    private var length, ofRecord = 0

    /** Advances to the next record.
      * @return false if there is none */
    def next(): Boolean = {
      while (chunk < chunks.size && at == chunks(chunk).used) {
        chunk += 1
        at = 0
      }
      if (chunk < chunks.size) {
        readFrom(chunks(chunk).bytes)
        true
      } else hasOthers && readOther()
    }

    /** Number of the record. */
    def number: Int = ofRecord

    /** The record as a text. */
    def text: UTF8String = UTF8String.fromAddress(base, offset, length)

    /** Points a row to the record, which has as many columns. */
    def pointTo(row: UnsafeRow): Unit = row.pointTo(base, offset, length)

    private def readFrom(bytes: Array[Byte]): Unit = {
      val place = Platform.BYTE_ARRAY_OFFSET.toLong + at
      length = Platform.getInt(bytes, place)
      ofRecord = Platform.getInt(bytes, place + Integer.BYTES)
      base = bytes
      offset = place + headerBytes
      at = aligned(at + headerBytes + length)
    }

    private def readOther(): Boolean = {
      val rows = rest.getOrElse {
        val of = others.generateIterator()
        rest = Some(of)
        of
      }
      val isThere = rows.hasNext
      if (isThere) {
        val row = rows.next()
        val place = row.getLong(1) // offset in the row, then length
        ofRecord = row.getInt(0)
        base = row.getBaseObject
        offset = row.getBaseOffset + (place >>> 32)
        length = place.toInt
      }
      isThere
    }
  }
}

private object RecordBuffer {
  private val chunkBytes = 1 << 18
  private val headerBytes = 2 * Integer.BYTES // length, number

  /** The next multiple of eight bytes, as rows are aligned. */
  private def aligned(at: Int): Int = at + 7 & ~7

  private final class Chunk {
    val bytes = new Array[Byte](chunkBytes)
    var used = 0 // bytes, a multiple of eight

    def put(number: Int, from: AnyRef, offset: Long, length: Int): Unit = {
      val place = Platform.BYTE_ARRAY_OFFSET.toLong + used
      Platform.putInt(bytes, place, length)
      Platform.putInt(bytes, place + Integer.BYTES, number)
      Platform.copyMemory(from, offset, bytes, place + headerBytes, length.toLong)
      used = aligned(used + headerBytes + length)
    }
  }
}
