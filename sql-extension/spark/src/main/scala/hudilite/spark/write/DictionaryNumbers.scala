package hudilite.spark.write

import java.lang.{Long => JLong}

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.io.api.Binary

/** Values writer with a dictionary, for numbers of four or eight bytes, and for those in bytes of fixed
  * length, 1 to 8, big-endian; see [[DictionaryValues]].
  * @param width   bytes of a number
  * @param isFixed whether they are bytes of fixed length */
final private[write] class DictionaryNumbers(
    width: Int,
    properties: ParquetProperties,
    gaveUp: () => Unit,
    isFixed: Boolean = false
) extends DictionaryValues(properties, gaveUp, if (isFixed) width else 0) {
  private val isInt = !isFixed && width == Integer.BYTES
  private var values = new PlainValues // the entries

  /** Writes a number.
    * @param value the number, or the bits of a floating-point number
    * @return whether it is new in the page, as far as is known */
  def add(value: Long): Boolean = {
    grow(width)
    if (isPlain) putPlain(value)
    else if (lastEntry >= 0 && entryAt(lastEntry) == value) repeat()
    else addOther(value)
  }

  override def writeInteger(value: Int): Unit = add(value.toLong): Unit
  override def writeLong(value: Long): Unit = add(value): Unit

  override def writeFloat(value: Float): Unit =
    add(java.lang.Float.floatToIntBits(value).toLong): Unit

  override def writeDouble(value: Double): Unit =
    add(java.lang.Double.doubleToLongBits(value)): Unit

  override def writeBytes(value: Binary): Unit = {
    val bytes = value.getBytesUnsafe
    add(bytes.foldLeft(if (bytes(0) < 0) -1L else 0L)((all, next) => all << 8 | next & 0xff)): Unit
  }

  override protected def writePlain(entry: Int): Unit = put(plain, entryAt(entry))

  override protected def entries(count: Int): BytesInput =
    if (!isFixed) values.bytes.writtenUntil(count * width)
    else {
      val fixed = new PlainValues(width)
      (0 until count).foreach(entry => fixed.writeLong(entryAt(entry)))
      fixed.getBytes
    }

  override protected def largestOfEntries: Seq[Int] = Seq(values.bytes.largestArray)

  override protected def clear(): Unit = values = new PlainValues

  private def addOther(value: Long): Boolean = {
    val hash = DictionaryNumbers.hash(value)
    var slot = table.start(hash)
    while (table.at(slot) >= 0 && entryAt(table.at(slot)) != value) slot = table.after(slot)
    val known = table.at(slot)
    if (known >= 0) note(known)
    else if (admit(slot, hash, width)) note(keep(value))
    else putPlain(value)
  }

  private def keep(value: Long): Int = {
    put(values, value)
    table.size - 1
  }

  private def entryAt(entry: Int): Long =
    if (isInt) values.bytes.intAt(entry * Integer.BYTES).toLong
    else values.bytes.longAt(entry * JLong.BYTES)

  private def putPlain(value: Long): Boolean = {
    put(plain, value)
    true
  }

  private def put(to: PlainValues, value: Long): Unit =
    if (isInt) to.writeInteger(value.toInt) else to.writeLong(value)
}

private object DictionaryNumbers {

  /** The upper half of a product with 2^64^ divided by the golden ratio, which mixes all bits. */
  private def hash(value: Long): Int = (value * 0x9e3779b97f4a7c15L >>> 32).toInt
}
