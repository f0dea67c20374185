package hudilite.spark.write

import java.util.Arrays

import org.apache.parquet.column.{ColumnDescriptor, ColumnWriter}
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Puts values of one flat column into its writer; one small class for each kind of value, so that
  * no choice is left to make for a value. */
abstract private[write] class ColumnEncoder(column: ColumnDescriptor, out: ColumnWriter) {
  private val level = column.getMaxDefinitionLevel

  /** Writes a value that is not null. */
  protected def value(row: InternalRow, ordinal: Int, level: Int): Unit

  /** Writes the values of rows from `from` up to `until`, none of which is null. */
  protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit

  final def write(row: InternalRow, ordinal: Int): Unit =
    if (row.isNullAt(ordinal)) noValue() else value(row, ordinal, level)

  /** Writes rows from `from` up to `until`. */
  final def write(vector: ColumnVector, from: Int, until: Int): Unit =
    if (vector.hasNull) between(vector, from, until) else values(vector, from, until, level)

  private def between(vector: ColumnVector, from: Int, until: Int): Unit = {
    var at = from
    while (at < until) {
      val start = at
      while (at < until && !vector.isNullAt(at)) at += 1
      if (at > start) values(vector, start, at, level)
      while (at < until && vector.isNullAt(at)) {
        noValue()
        at += 1
      }
    }
  }

  private def noValue(): Unit = {
    if (level == 0)
      throw new IllegalStateException(
        s"a null in ${column.getPath.mkString(".")}, which takes none"
      )
    out.writeNull(0, 0)
  }
}

private[write] object ColumnEncoder {
  type Start = (ColumnDescriptor, ColumnWriter) => ColumnEncoder

  /** What writes values of a type; None for those that Spark's own writer must lay out. */
  def of(dataType: DataType): Option[Start] = dataType match {
    case BooleanType => Some(new Booleans(_, _))
    case ByteType => Some(new Bytes(_, _))
    case ShortType => Some(new Shorts(_, _))
    case IntegerType | DateType => Some(new Ints(_, _))
    case LongType | TimestampType | TimestampNTZType => Some(new Longs(_, _))
    case FloatType => Some(new Floats(_, _))
    case DoubleType => Some(new Doubles(_, _))
    case decimal: DecimalType if decimal.precision <= Decimal.MAX_INT_DIGITS =>
      Some(new IntDecimals(_, _, decimal))
    case decimal: DecimalType if decimal.precision <= Decimal.MAX_LONG_DIGITS =>
      Some(new LongDecimals(_, _, decimal))
    case decimal: DecimalType => Some(new WideDecimals(_, _, decimal))
    case _: StringType | _: CharType | _: VarcharType => Some(new Texts(_, _))
    case BinaryType => Some(new Binaries(_, _))
    case _ => None
  }

  final private class Booleans(column: ColumnDescriptor, out: ColumnWriter)
      extends ColumnEncoder(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(row.getBoolean(ordinal), 0, level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getBoolean(at), 0, level)
        at += 1
      }
    }
  }

  final private class Bytes(column: ColumnDescriptor, out: ColumnWriter)
      extends ColumnEncoder(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(row.getByte(ordinal).toInt, 0, level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getByte(at).toInt, 0, level)
        at += 1
      }
    }
  }

  final private class Shorts(column: ColumnDescriptor, out: ColumnWriter)
      extends ColumnEncoder(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(row.getShort(ordinal).toInt, 0, level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getShort(at).toInt, 0, level)
        at += 1
      }
    }
  }

  final private class Ints(column: ColumnDescriptor, out: ColumnWriter)
      extends ColumnEncoder(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(row.getInt(ordinal), 0, level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getInt(at), 0, level)
        at += 1
      }
    }
  }

  final private class Longs(column: ColumnDescriptor, out: ColumnWriter)
      extends ColumnEncoder(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(row.getLong(ordinal), 0, level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getLong(at), 0, level)
        at += 1
      }
    }
  }

  final private class Floats(column: ColumnDescriptor, out: ColumnWriter)
      extends ColumnEncoder(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(row.getFloat(ordinal), 0, level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getFloat(at), 0, level)
        at += 1
      }
    }
  }

  final private class Doubles(column: ColumnDescriptor, out: ColumnWriter)
      extends ColumnEncoder(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(row.getDouble(ordinal), 0, level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getDouble(at), 0, level)
        at += 1
      }
    }
  }

  final private class IntDecimals(column: ColumnDescriptor, out: ColumnWriter, of: DecimalType)
      extends ColumnEncoder(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(row.getDecimal(ordinal, of.precision, of.scale).toUnscaledLong.toInt, 0, level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      val digits = new Digits(vector, of)
      var at = from
      while (at < until) {
        out.write(digits.int(at), 0, level)
        at += 1
      }
    }
  }

  final private class LongDecimals(column: ColumnDescriptor, out: ColumnWriter, of: DecimalType)
      extends ColumnEncoder(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(row.getDecimal(ordinal, of.precision, of.scale).toUnscaledLong, 0, level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      val digits = new Digits(vector, of)
      var at = from
      while (at < until) {
        out.write(digits.long(at), 0, level)
        at += 1
      }
    }
  }

  /** Digits of short decimals; Spark's own vectors hold them as plain numbers. */
  final private class Digits(vector: ColumnVector, of: DecimalType) {
    private val plain = vector.isInstanceOf[WritableColumnVector]

    def int(at: Int): Int = if (plain) vector.getInt(at) else unscaled(at).toInt
    def long(at: Int): Long = if (plain) vector.getLong(at) else unscaled(at)

    private def unscaled(at: Int): Long =
      vector.getDecimal(at, of.precision, of.scale).toUnscaledLong
  }

  /** Decimals as two's complements of one length, the highest byte first. */
  final private class WideDecimals(column: ColumnDescriptor, out: ColumnWriter, of: DecimalType)
      extends ColumnEncoder(column, out) {
    private val padded = new Array[Byte](column.getPrimitiveType.getTypeLength)

    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      put(row.getDecimal(ordinal, of.precision, of.scale), level)
    override protected def values(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        put(vector.getDecimal(at, of.precision, of.scale), level)
        at += 1
      }
    }

    private def put(decimal: Decimal, level: Int): Unit = {
      val bytes = decimal.toJavaBigDecimal.unscaledValue.toByteArray
      val start = padded.length - bytes.length
      Arrays.fill(padded, 0, start, if (bytes(0) < 0) (-1).toByte else 0.toByte)
      System.arraycopy(bytes, 0, padded, start, bytes.length)
      out.write(Binary.fromReusedByteArray(padded), 0, level)
    }
  }

  final private class Texts(column: ColumnDescriptor, out: ColumnWriter)
      extends ByteArrays(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(lent(row.getUTF8String(ordinal)), 0, level)
    override protected def others(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(lent(vector.getUTF8String(at)), 0, level)
        at += 1
      }
    }

    /** Its bytes where they lie, if that is on the heap. */
    private def lent(text: UTF8String): Binary = text.getBaseObject match {
      case bytes: Array[Byte] =>
        val start = Math.toIntExact(text.getBaseOffset - Platform.BYTE_ARRAY_OFFSET)
        Binary.fromReusedByteArray(bytes, start, text.numBytes)
      case _ => Binary.fromReusedByteArray(text.getBytes)
    }
  }

  final private class Binaries(column: ColumnDescriptor, out: ColumnWriter)
      extends ByteArrays(column, out) {
    override protected def value(row: InternalRow, ordinal: Int, level: Int): Unit =
      out.write(Binary.fromReusedByteArray(row.getBinary(ordinal)), 0, level)
    override protected def others(vector: ColumnVector, from: Int, until: Int, level: Int): Unit =
      copied(vector, from, until, level)
  }

  /** Values of any length. Spark's own vectors give the bytes as such: a `UTF8String` has four volatile
    * fields, and to make one for each value takes a third of the time. */
  abstract private class ByteArrays(column: ColumnDescriptor, out: ColumnWriter)
      extends ColumnEncoder(column, out) {

    /** Writes values of a vector that is not one of Spark's own. */
    protected def others(vector: ColumnVector, from: Int, until: Int, level: Int): Unit

    final override protected def values(
        vector: ColumnVector,
        from: Int,
        until: Int,
        level: Int
    ): Unit = vector match {
      case plain: OnHeapColumnVector if !plain.hasDictionary => lent(plain, from, until, level)
      case own: WritableColumnVector => copied(own, from, until, level)
      case other => others(other, from, until, level)
    }

    /** From the one array that holds the values of all rows. */
    private def lent(vector: OnHeapColumnVector, from: Int, until: Int, level: Int): Unit = {
      val bytes = vector.arrayData.getByteBuffer(0, 0).array
      var at = from
      while (at < until) {
        val start = vector.getArrayOffset(at)
        out.write(Binary.fromReusedByteArray(bytes, start, vector.getArrayLength(at)), 0, level)
        at += 1
      }
    }

    final protected def copied(vector: ColumnVector, from: Int, until: Int, level: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(Binary.fromReusedByteArray(vector.getBinary(at)), 0, level)
        at += 1
      }
    }
  }
}
