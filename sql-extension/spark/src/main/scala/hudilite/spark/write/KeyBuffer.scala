package hudilite.spark.write

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Buffer of the keys of a new file until their number is known, and with it the size of the bloom
  * filter (task side). The first keys stay in memory; the others spill to disk when memory is
  * short.
  * @param mostChunks number of chunks of keys that stay in memory */
final private[write] class KeyBuffer(mostChunks: Int = KeyBuffer.mostChunks) {
  import KeyBuffer.chunkBytes

  private val chunks = ArrayBuffer.empty[Array[Byte]]
  private val ends = ArrayBuffer.empty[Int]
  private var used = 0
  private var count = 0L
  private lazy val others = SpillableRows.open()
  private lazy val row = new UnsafeRowWriter(1)
  private var hasOthers = false

  /** Number of keys. */
  def size: Long = count

  def add(key: UTF8String): Unit = {
    if (hasOthers || !fits(key)) {
      hasOthers = true
      row.reset()
      row.write(0, key)
      others.add(row.getRow())
    } else put(key)
    count += 1
  }

  /** Passes all keys to a function. A key is valid during the call only. */
  def foreach(f: UTF8String => Unit): Unit = {
    val filled = ends :+ used
    chunks.zip(filled).foreach { case (chunk, end) =>
      var at = 0
      while (at < end) {
        val bytes = Platform.getInt(chunk, Platform.BYTE_ARRAY_OFFSET.toLong + at)
        f(UTF8String.fromBytes(chunk, at + 4, bytes))
        at += 4 + bytes
      }
    }
    if (hasOthers) others.generateIterator().foreach(of => f(of.getUTF8String(0)))
  }

  /** Releases the memory and the files of the keys. */
  def clear(): Unit = {
    chunks.clear()
    ends.clear()
    if (hasOthers) others.clear()
  }

  /** Whether a key goes into the last chunk or a new one. */
  private def fits(key: UTF8String): Boolean =
    chunks.size < mostChunks || used + 4 + key.numBytes <= chunks.last.length

  private def put(key: UTF8String): Unit = {
    val bytes = key.numBytes
    if (chunks.isEmpty || used + 4 + bytes > chunks.last.length) {
      if (chunks.nonEmpty) ends += used
      chunks += new Array[Byte](math.max(chunkBytes, 4 + bytes))
      used = 0
    }
    Platform.putInt(chunks.last, Platform.BYTE_ARRAY_OFFSET.toLong + used, bytes)
    key.writeToMemory(chunks.last, Platform.BYTE_ARRAY_OFFSET.toLong + used + 4)
    used += 4 + bytes
  }
}

private[write] object KeyBuffer {
  private val chunkBytes = 1 << 20

  /** Chunks of keys in memory: the keys of a few million rows. */
  private val mostChunks = 32
}
