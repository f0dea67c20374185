package hudilite.spark.read

import java.nio.charset.StandardCharsets.US_ASCII

import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/** String vector of the values `<prefix><row number>`, which are built on access (task side). The
  * text of the current ten is kept, because ten consecutive texts differ in the last byte only.
  * @param prefix digits and `_`
  * @param place  position of the batch's first row */
private[read] final class SequenceVector(prefix: String, place: RowPlace)
    extends RefusingVector(StringType) {
  private var ten = -1L
  private var text = Array.emptyByteArray // of one number in this ten

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

  override def hasNull: Boolean = false
  override def numNulls: Int = 0
  override def isNullAt(row: Int): Boolean = false

  override protected def none: Nothing =
    throw new UnsupportedOperationException("INTERNAL: it holds texts")
}

/** Position of a batch in its file.
  * @param first number of the first row, from 0 */
private[read] final class RowPlace(var first: Long)
