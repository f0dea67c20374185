package hudilite.index

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Hash table from record keys to numbers. Several threads may share it. */
final class KeyTable private (keys: Array[UTF8String], values: Array[Long]) {
  private val mask = (Integer.highestOneBit(math.max(keys.length, 8)) << 2) - 1
  private val slots = new Array[Int](mask + 1)
  private val marks = new Array[Long]((mask + 1) >> 3) // eight bits per slot
  keys.indices.foreach(i => slots(slotOf(keys(i))) = i + 1)
  keys.foreach { key =>
    val bytes = key.getBytes
    val mark = markOf(bytes, 0, bytes.length)
    marks(mark >> 6) |= 1L << mark
  }

  /** Whether a key may be in the table, tested by its first and last bytes; false is certain. Much
    * cheaper than [[find]].
    * @param at     index at which the key begins
    * @param length length of the key in bytes, all of them in the array */
  def mightHold(bytes: Array[Byte], at: Int, length: Int): Boolean = {
    val mark = markOf(bytes, at, length)
    (marks(mark >> 6) & (1L << mark)) != 0
  }

  /** Returns the number that was added with a key, `KeyTable.absent` if the key was not added. */
  def find(key: UTF8String): Long = {
    val found = slots(slotOf(key))
    if (found == 0) KeyTable.absent else values(found - 1)
  }

  private def markOf(bytes: Array[Byte], at: Int, length: Int): Int = {
    val begin = Platform.BYTE_ARRAY_OFFSET.toLong + at
    val ends =
      if (length < java.lang.Long.BYTES) 0L
      else Platform.getLong(bytes, begin) * KeyTable.mixer +
        Platform.getLong(bytes, begin + length - java.lang.Long.BYTES)
    ((ends * KeyTable.mixer) >>> 32).toInt & ((marks.length << 6) - 1)
  }

  private def slotOf(key: UTF8String): Int = {
    var slot = KeyTable.hash(key) & mask
    while (slots(slot) != 0 && keys(slots(slot) - 1) != key) slot = (slot + 1) & mask
    slot
  }
}

object KeyTable {
  val absent: Long = -1L
  private val mixer = 0x9e3779b97f4a7c15L

  final class Builder {
    private val keys = ArrayBuffer.empty[UTF8String]
    private val values = ArrayBuffer.empty[Long]

    /** Adds a key, which must not have been added yet and whose bytes must not change.
      * @param value 0 or more */
    def add(key: UTF8String, value: Long): Unit = {
      keys += key
      values += value
    }

    def result(): KeyTable = new KeyTable(keys.toArray, values.toArray)
  }

  private def hash(key: UTF8String): Int = {
    val h = key.hashCode // Murmur3
    h ^ (h >>> 16)
  }
}
