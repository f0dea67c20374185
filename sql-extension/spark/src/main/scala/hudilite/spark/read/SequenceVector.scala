package hudilite.spark.read

import java.nio.charset.StandardCharsets.US_ASCII

import org.apache.spark.sql.types.{Decimal, StringType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/** Texts `<prefix><number>`, made when they are asked for; those of one ten differ in their last byte.
  * @param prefix of digits and `_`
  * @param place  of the batch's first row, whose number is the first */
private[read] final class SequenceVector(prefix: String, place: RowPlace)
    extends ColumnVector(StringType) {
  private var ten = -1L
  private var text = Array.emptyByteArray // of a number of this ten

  override def getUTF8String(row: Int): UTF8String = UTF8String.fromBytes(getBinary(row))

  override def getBinary(row: Int): Array[Byte] = {
    val number = place.first + row
    if (number / 10 != ten) {
      ten = number / 10
      text = s"$prefix$number".getBytes(US_ASCII)
    }
    val own = text.clone()
    own(own.length - 1) = ('0' + number - ten * 10).toByte
    own
  }

  override def close(): Unit = ()
  override def hasNull: Boolean = false
  override def numNulls: Int = 0
  override def isNullAt(row: Int): Boolean = false
  override def getBoolean(row: Int): Boolean = none
  override def getByte(row: Int): Byte = none
  override def getShort(row: Int): Short = none
  override def getInt(row: Int): Int = none
  override def getLong(row: Int): Long = none
  override def getFloat(row: Int): Float = none
  override def getDouble(row: Int): Double = none
  override def getArray(row: Int): ColumnarArray = none
  override def getMap(row: Int): ColumnarMap = none
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = none
  override def getChild(ordinal: Int): ColumnVector = none

  private def none: Nothing = throw new UnsupportedOperationException("INTERNAL: it holds texts")
}

/** Where a batch begins in its file.
  * @param first number of its first row, from 0 on */
private[read] final class RowPlace(var first: Long)
