package hudilite.spark.write

import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/** Values writer with a dictionary, for texts and binaries; see [[DictionaryValues]]. */
final private[write] class DictionaryBytes(properties: ParquetProperties, gaveUp: () => Unit)
    extends DictionaryValues(properties, gaveUp) {
  private var values = new GrowingBytes // entries in PLAIN encoding
  private var ends = new Array[Int](64) // where each entry ends

  /** Writes bytes from an array that may change after the call.
    * @return whether they are new in the page, as far as is known */
  def add(from: Array[Byte], start: Int, length: Int): Boolean = {
    grow(length + Integer.BYTES)
    if (isPlain) putPlain(from, start, length)
    else if (lastEntry >= 0 && isAt(lastEntry, from, start, length)) repeat()
    else addOther(from, start, length)
  }

  /** Writes the same bytes several times; otherwise as above. */
  def add(from: Array[Byte], start: Int, length: Int, times: Int): Boolean = {
    val isNew = add(from, start, length)
    var more = times - 1
    while (more > 0) {
      grow(length + Integer.BYTES)
      if (isPlain) putPlain(from, start, length) else repeat()
      more -= 1
    }
    isNew
  }

  override def writeBytes(value: Binary): Unit = {
    val bytes = value.getBytesUnsafe
    add(bytes, 0, bytes.length): Unit
  }

  override protected def writePlain(entry: Int): Unit = {
    val start = startOf(entry)
    values.copyTo(plain.bytes, start, ends(entry) - start)
  }

  override protected def entries(count: Int): BytesInput = values.written(ends(count - 1))

  override protected def clear(): Unit = {
    values = new GrowingBytes
    ends = Array.empty
  }

  private def addOther(from: Array[Byte], start: Int, length: Int): Boolean = {
    val hash = DictionaryBytes.hash(from, start, length)
    var slot = table.start(hash)
    while (table.at(slot) >= 0 && !isEqual(table.at(slot), hash, from, start, length))
      slot = table.after(slot)
    val known = table.at(slot)
    if (known >= 0) note(known)
    else if (admit(slot, hash, length + Integer.BYTES)) note(keep(from, start, length))
    else putPlain(from, start, length)
  }

  private def isEqual(entry: Int, hash: Int, from: Array[Byte], start: Int, length: Int): Boolean =
    table.hashOf(entry) == hash && isAt(entry, from, start, length)

  private def isAt(entry: Int, from: Array[Byte], start: Int, length: Int): Boolean = {
    val at = startOf(entry) + Integer.BYTES
    ends(entry) - at == length && values.isAt(at, from, start, length)
  }

  private def startOf(entry: Int): Int = if (entry == 0) 0 else ends(entry - 1)

  private def keep(from: Array[Byte], start: Int, length: Int): Int = {
    val entry = table.size - 1
    if (entry == ends.length) ends = Arrays.copyOf(ends, 2 * entry)
    values.putBytes(from, start, length)
    ends(entry) = values.size
    entry
  }

  private def putPlain(from: Array[Byte], start: Int, length: Int): Boolean = {
    plain.bytes.putBytes(from, start, length)
    true
  }
}

private object DictionaryBytes {
  private def hash(from: Array[Byte], start: Int, length: Int): Int =
    Murmur3_x86_32.hashUnsafeBytes2(from, Platform.BYTE_ARRAY_OFFSET.toLong + start, length, 0)
}
