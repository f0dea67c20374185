package hudilite.spark.read

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.types.{DataType, IntegerType, LongType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

/** Numbers of the record keys in the log files of a file slice, from 0 in the order in which they were
  * added (task side): a hash table of values of one column. */
private[read] abstract class KeyNumbers {

  /** Hash and number + 1 of a key; 0 in a free slot. The length is a power of two. */
  private var slots = new Array[Long](KeyNumbers.firstSlots)
  private var count = 0

  /** Number of keys. */
  def size: Int = count

  /** Returns the number of a row's key, or -1 if it was not added. */
  def find(keys: ColumnVector, row: Int): Int

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
  protected final def found(hash: Int): Int = (slots(slotOf(hash)) & KeyNumbers.low).toInt - 1

  /** Returns the number that the key that is looked for has from now on. It is [[size]] before the
    * call if the key is new. */
  protected final def added(hash: Int): Int = {
    val slot = slotOf(hash)
    if (slots(slot) == 0L) {
      count += 1
      slots(slot) = hash.toLong << Integer.SIZE | count
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

  private def isAt(slot: Int, hash: Int): Boolean =
    (slots(slot) >> Integer.SIZE).toInt == hash && isSought(
      (slots(slot) & KeyNumbers.low).toInt - 1
    )

  private def grow(): Unit = {
    val old = slots
    slots = new Array[Long](old.length * 2)
    val last = slots.length - 1
    old.foreach { entry =>
      if (entry != 0L) {
        var slot = KeyNumbers.spread((entry >> Integer.SIZE).toInt) & last
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

  /** Returns an empty table.
    * @param keys type of the column with the keys: STRING, INT or BIGINT */
  def of(keys: DataType): KeyNumbers = keys match {
    case IntegerType => new OfNumbers(_.getInt(_).toLong)
    case LongType => new OfNumbers(_.getLong(_))
    case _ => new OfTexts
  }

  private final class OfTexts extends KeyNumbers {
    private val texts = ArrayBuffer.empty[UTF8String]
    private var sought = UTF8String.EMPTY_UTF8

    override protected def isSought(number: Int): Boolean = texts(number) == sought

    override def find(keys: ColumnVector, row: Int): Int = {
      sought = keys.getUTF8String(row)
      found(sought.hashCode)
    }

    override def add(keys: ColumnVector, row: Int): Int = add(keys.getUTF8String(row))

    override def add(text: String): Option[Int] = Some(add(UTF8String.fromString(text)))

    override def find(text: String): Option[Int] = {
      sought = UTF8String.fromString(text)
      Some(found(sought.hashCode)).filter(_ >= 0)
    }

    private def add(key: UTF8String): Int = {
      sought = key
      val before = size
      val number = added(sought.hashCode)
      if (size > before) texts += key.copy()
      number
    }
  }

  private final class OfNumbers(value: (ColumnVector, Int) => Long) extends KeyNumbers {
    private var numbers = new Array[Long](firstSlots)
    private var sought = 0L

    override protected def isSought(number: Int): Boolean = numbers(number) == sought

    override def find(keys: ColumnVector, row: Int): Int = {
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
}
