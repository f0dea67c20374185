package hudilite.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.vectorized.{
  ConstantColumnVector,
  OnHeapColumnVector,
  WritableColumnVector
}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Encoders of texts and binaries. */
private[write] object ByteEncoders {

  final class Texts(out: FlatColumn)
      extends ByteArrays(out) {
    override protected def other(row: InternalRow, ordinal: Int): Unit =
      put(row.getUTF8String(ordinal))
    override protected def others(vector: ColumnVector, from: Int, until: Int): Unit =
      vector match {
        case constant: ConstantColumnVector =>
          val bytes = constant.getUTF8String(from).getBytes
          out.write(bytes, 0, bytes.length, until - from)
        case _ =>
          var at = from
          while (at < until) {
            put(vector.getUTF8String(at))
            at += 1
          }
      }

    /** Writes a text without copying its bytes, if they are on the heap. */
    private def put(text: UTF8String): Unit = text.getBaseObject match {
      case bytes: Array[Byte] =>
        out.write(bytes, startOf(text.getBaseOffset), text.numBytes)
      case _ => put(text.getBytes)
    }
  }

  final class Binaries(out: FlatColumn)
      extends ByteArrays(out) {
    override protected def other(row: InternalRow, ordinal: Int): Unit =
      put(row.getBinary(ordinal))
    override protected def others(vector: ColumnVector, from: Int, until: Int): Unit =
      copied(vector, from, until)
  }

  /** Encodes values of variable length. The bytes are taken from Spark's own rows and vectors
    * directly: a `UTF8String` has four volatile fields, and creating one per value takes a third of
    * the time. */
  sealed abstract class ByteArrays(out: FlatColumn)
      extends ColumnEncoder(out) {

    /** Writes a value of a row that is not in one array. */
    protected def other(row: InternalRow, ordinal: Int): Unit

    /** Writes values of a vector that is not one of Spark's own. */
    protected def others(vector: ColumnVector, from: Int, until: Int): Unit

    final override protected def value(row: InternalRow, ordinal: Int): Unit = row match {
      case stored: UnsafeRow => stored.getBaseObject match {
          case bytes: Array[Byte] =>
            val place = stored.getLong(ordinal) // offset in the row, then length
            out.write(bytes, startOf(stored.getBaseOffset + (place >>> 32)), place.toInt)
          case _ => other(row, ordinal)
        }
      case _ => other(row, ordinal)
    }

    final override protected def values(
        vector: ColumnVector,
        from: Int,
        until: Int
    ): Unit = vector match {
      case plain: OnHeapColumnVector if !plain.hasDictionary => fromArray(plain, from, until)
      case own: WritableColumnVector => copied(own, from, until)
      case other => others(other, from, until)
    }

    /** Writes values from the one array that contains the values of all rows. */
    private def fromArray(vector: OnHeapColumnVector, from: Int, until: Int): Unit = {
      val bytes = vector.arrayData.getByteBuffer(0, 0).array
      var at = from
      while (at < until) {
        val start = vector.getArrayOffset(at)
        out.write(bytes, start, vector.getArrayLength(at))
        at += 1
      }
    }

    /** Writes values of a vector; adjacent values with the same dictionary id are decoded once. */
    final protected def copied(vector: ColumnVector, from: Int, until: Int): Unit = {
      val numbers = vector match {
        case own: WritableColumnVector if own.hasDictionary => Some(own.getDictionaryIds)
        case _ => None
      }
      var at = from
      var last = Array.emptyByteArray
      while (at < until) {
        val isLast = at > from && numbers.exists(of => of.getDictId(at) == of.getDictId(at - 1))
        if (!isLast) last = vector.getBinary(at)
        put(last)
        at += 1
      }
    }

    /** Index in an array of bytes. */
    final protected def startOf(offset: Long): Int =
      Math.toIntExact(offset - Platform.BYTE_ARRAY_OFFSET)

    final protected def put(bytes: Array[Byte]): Unit = out.write(bytes, 0, bytes.length)
  }
}
