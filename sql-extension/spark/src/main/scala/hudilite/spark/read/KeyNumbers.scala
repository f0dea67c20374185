package hudilite.spark.read

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.{DataType, IntegerType, LongType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods
import org.apache.spark.unsafe.hash.Murmur3_x86_32
import org.apache.spark.unsafe.types.UTF8String

/** Numbers of the record keys in the log files of a file slice, from 0 in the order in which they
  * were added (task side): a hash table of values of one column. */
private[read] abstract class KeyNumbers {

  /** Hash and number + 1 of a key; 0 in a free slot. The length is a power of two. */
  private var slots = new Array[Long](KeyNumbers.firstSlots)

  /** Bits of the hashes, four for each slot: most keys that were not added have none. */
  private var bits = new Array[Long](KeyNumbers.words(slots))
  private var count = 0

  /** Number of keys. */
  def size: Int = count

  /** Finds the rows of a batch whose keys were added.
    * @param keys    column with the keys, which may be NULL
    * @param rows    number of rows
    * @param places  the indexes of the rows that are found are written into it, ascending
    * @param numbers the numbers of their keys are written into it
    * @return their number */
  def find(keys: ColumnVector, rows: Int, places: Array[Int], numbers: Array[Int]): Int = {
    val mayBeNull = keys.hasNull
    var (row, count) = (0, 0)
    while (row < rows) {
      val number = if (mayBeNull && keys.isNullAt(row)) -1 else find(keys, row)
      if (number >= 0) {
        places(count) = row
        numbers(count) = number
        count += 1
      }
      row += 1
    }
    count
  }

  /** Returns the number of a row's key, or -1 if it was not added. */
  protected def find(keys: ColumnVector, row: Int): Int

  /** Returns the number of a row's key, which is added if it is new. */
  def add(keys: ColumnVector, row: Int): Int

  /** Returns the number of the key with this text, which is added if it is new.
    * @return None if no row can have the key */
  def add(text: String): Option[Int]

  /** Returns the number of the key with this text; None if it was not added. */
  def find(text: String): Option[Int]

  /** Whether the key that is looked for has this number. */
  protected def isSought(number: Int): Boolean

  /** Returns the number of the key that is looked for, or -1. */
  protected final def found(hash: Int): Int =
    if (mayHave(KeyNumbers.spread(hash))) (slots(slotOf(hash)) & KeyNumbers.low).toInt - 1 else -1

  /** Returns the number that the key that is looked for has from now on. It is [[size]] before the
    * call if the key is new. */
  protected final def added(hash: Int): Int = {
    val slot = slotOf(hash)
    if (slots(slot) == 0L) {
      count += 1
      slots(slot) = hash.toLong << Integer.SIZE | count
      mark(KeyNumbers.spread(hash))
      if (count * 2 > slots.length) grow()
      count - 1
    } else (slots(slot) & KeyNumbers.low).toInt - 1
  }

  /** Returns the slot of the key that is looked for, or the free one that it may take. */
  private def slotOf(hash: Int): Int = {
    val last = slots.length - 1
    var slot = KeyNumbers.spread(hash) & last
    while (slots(slot) != 0L && !isAt(slot, hash)) slot = (slot + 1) & last
    slot
  }

  private def mayHave(spread: Int): Boolean =
    (bits((spread >>> 6) & (bits.length - 1)) >>> spread & 1L) != 0L

  private def mark(spread: Int): Unit =
    bits((spread >>> 6) & (bits.length - 1)) |= 1L << spread

  private def isAt(slot: Int, hash: Int): Boolean =
    (slots(slot) >> Integer.SIZE).toInt == hash && isSought(
      (slots(slot) & KeyNumbers.low).toInt - 1
    )

  private def grow(): Unit = {
    val old = slots
    slots = new Array[Long](old.length * 2)
    bits = new Array[Long](KeyNumbers.words(slots))
    val last = slots.length - 1
    old.foreach { entry =>
      if (entry != 0L) {
        val spread = KeyNumbers.spread((entry >> Integer.SIZE).toInt)
        mark(spread)
        var slot = spread & last
        while (slots(slot) != 0L) slot = (slot + 1) & last
        slots(slot) = entry
      }
    }
  }
}

private[read] object KeyNumbers {
  private final val firstSlots = 256
  private final val low = 0xffffffffL

  private def spread(hash: Int): Int = {
    val mixed = hash * 0x9e3779b9
    mixed ^ (mixed >>> 16)
  }

  private def words(slots: Array[Long]): Int = slots.length * 4 / java.lang.Long.SIZE

  /** Returns an empty table.
    * @param keys type of the column with the keys: STRING, INT or BIGINT */
  def of(keys: DataType): KeyNumbers = keys match {
    case IntegerType => new OfInts
    case LongType => new OfLongs
    case _ => new OfTexts
  }

  private final class OfTexts extends KeyNumbers {
    private val texts = ArrayBuffer.empty[UTF8String]

    /** Bytes of all texts of a batch. */
    private var bytes = Option.empty[Array[Byte]]

    // Place of the key that is looked for: not each row of a base is made a text.
    private var base: AnyRef = Array.emptyByteArray
    private var offset = 0L
    private var length = 0

    override protected def isSought(number: Int): Boolean = {
      val text = texts(number)
      text.numBytes == length && ByteArrayMethods.arrayEquals(
        text.getBaseObject,
        text.getBaseOffset,
        base,
        offset,
        length.toLong
      )
    }

    override def find(
        keys: ColumnVector,
        rows: Int,
        places: Array[Int],
        numbers: Array[Int]
    ): Int = {
      bytes = keys match {
        case plain: OnHeapColumnVector if !plain.hasDictionary =>
          Some(plain.arrayData.getByteBuffer(0, 0).array)
        case _ => None
      }
      super.find(keys, rows, places, numbers)
    }

    override protected def find(keys: ColumnVector, row: Int): Int = {
      keys match {
        case plain: OnHeapColumnVector if bytes.nonEmpty =>
          base = bytes.get
          offset = Platform.BYTE_ARRAY_OFFSET.toLong + plain.getArrayOffset(row)
          length = plain.getArrayLength(row)
        case other => seek(other.getUTF8String(row))
      }
      found(hash)
    }

    override def add(keys: ColumnVector, row: Int): Int = add(keys.getUTF8String(row))

    override def add(text: String): Option[Int] = Some(add(UTF8String.fromString(text)))

    override def find(text: String): Option[Int] = {
      seek(UTF8String.fromString(text))
      Some(found(hash)).filter(_ >= 0)
    }

    private def add(key: UTF8String): Int = {
      seek(key)
      val before = size
      val number = added(hash)
      if (size > before) texts += key.copy()
      number
    }

    private def seek(key: UTF8String): Unit = {
      base = key.getBaseObject
      offset = key.getBaseOffset
      length = key.numBytes
    }

    private def hash = Murmur3_x86_32.hashUnsafeBytes(base, offset, length, 42)
  }

  private abstract class OfNumbers extends KeyNumbers {
    private var numbers = new Array[Long](firstSlots)
    private var sought = 0L

    protected def value(keys: ColumnVector, row: Int): Long

    override protected def isSought(number: Int): Boolean = numbers(number) == sought

    override protected def find(keys: ColumnVector, row: Int): Int = {
      sought = value(keys, row)
      found(java.lang.Long.hashCode(sought))
    }

    override def add(keys: ColumnVector, row: Int): Int = add(value(keys, row))

    override def add(text: String): Option[Int] = numberOf(text).map(add(_))

    override def find(text: String): Option[Int] = numberOf(text).map { key =>
      sought = key
      found(java.lang.Long.hashCode(key))
    }.filter(_ >= 0)

    private def numberOf(text: String): Option[Long] =
      text.toLongOption.filter(_.toString == text)

    private def add(key: Long): Int = {
      sought = key
      val before = size
      val number = added(java.lang.Long.hashCode(key))
      if (size > before) {
        if (number == numbers.length) numbers = java.util.Arrays.copyOf(numbers, 2 * number)
        numbers(number) = key
      }
      number
    }
  }

  private final class OfInts extends OfNumbers {
    override protected def value(keys: ColumnVector, row: Int): Long = keys.getInt(row).toLong
  }

  private final class OfLongs extends OfNumbers {
    override protected def value(keys: ColumnVector, row: Int): Long = keys.getLong(row)
  }
}
