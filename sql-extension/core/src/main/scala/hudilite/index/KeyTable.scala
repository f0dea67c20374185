package hudilite.index

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.unsafe.types.UTF8String

/** Finds keys by their hash. Threads may share it. */
final class KeyTable private (keys: Array[UTF8String], values: Array[Long]) {
  private val mask = (Integer.highestOneBit(math.max(keys.length, 8)) << 2) - 1
  private val slots = new Array[Int](mask + 1)
  keys.indices.foreach(i => slots(slotOf(keys(i))) = i + 1)

  /** What was added with a key, `KeyTable.absent` where it was not. */
  def find(key: UTF8String): Long = {
    val found = slots(slotOf(key))
    if (found == 0) KeyTable.absent else values(found - 1)
  }

  private def slotOf(key: UTF8String): Int = {
    var slot = KeyTable.hash(key) & mask
    while (slots(slot) != 0 && keys(slots(slot) - 1) != key) slot = (slot + 1) & mask
    slot
  }
}

object KeyTable {
  val absent: Long = -1L

  final class Builder {
    private val keys = ArrayBuffer.empty[UTF8String]
    private val values = ArrayBuffer.empty[Long]

    /** Takes a key that was not added yet and stays as it is.
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
