package hudilite.spark.write

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/** Values writer with a dictionary, for texts and binaries; see [[DictionaryValues]]. */
final private[write] class DictionaryBytes(properties: ParquetProperties, gaveUp: () => Unit)
    extends DictionaryValues(properties, gaveUp) {
  private var values = new GrowingBytes // entries in PLAIN encoding
  private var places = PagedInts.of(64) // of each entry in them

  /** Writes bytes from an array that may change after the call.
    * @return whether they are new in the page, as far as is known */
  def add(from: Array[Byte], start: Int, length: Int): Boolean = {
    grow(length + Integer.BYTES)
    if (isPlain) putPlain(from, start, length)
    else if (lastEntry >= 0 && values.isAt(places(lastEntry), from, start, length))
      repeat()
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

  override protected def writePlain(entry: Int): Unit = values.copyTo(plain.bytes, places(entry))

  override protected def entries(count: Int): BytesInput =
    if (count == table.size) values.written else values.writtenUntil(places(count))

  override protected def largestOfEntries: Seq[Int] = Seq(values.largestArray, places.largestArray)

  override protected def clear(): Unit = {
    values = new GrowingBytes
    places = PagedInts.of(0)
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
    table.hashOf(entry) == hash && values.isAt(places(entry), from, start, length)

  private def keep(from: Array[Byte], start: Int, length: Int): Int = {
    val entry = table.size - 1
    if (entry == places.size) places = places.extended(2 * entry)
    places(entry) = values.putBytes(from, start, length)
    entry
  }

  private def putPlain(from: Array[Byte], start: Int, length: Int): Boolean = {
    plain.bytes.putBytes(from, start, length): Unit
    true
  }
}

private object DictionaryBytes {
  private def hash(from: Array[Byte], start: Int, length: Int): Int =
    Murmur3_x86_32.hashUnsafeBytes2(from, Platform.BYTE_ARRAY_OFFSET.toLong + start, length, 0)
}
