package hudilite.spark.write

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

/** Encodes values of one flat column. There is one small subclass for each kind of value, so that
  * no type is checked per value. */
abstract private[write] class ColumnEncoder(out: FlatColumn) {

  /** Writes a non-null value. */
  protected def value(row: InternalRow, ordinal: Int): Unit

  /** Writes the values of the rows from `from` until `until` (exclusive), none of which is null. */
  protected def values(vector: ColumnVector, from: Int, until: Int): Unit

  final def write(row: InternalRow, ordinal: Int): Unit =
    if (row.isNullAt(ordinal)) out.absent()
    else {
      out.present(1)
      value(row, ordinal)
    }

  /** Writes the rows from `from` until `until` (exclusive). */
  final def write(vector: ColumnVector, from: Int, until: Int): Unit =
    if (vector.hasNull) between(vector, from, until) else present(vector, from, until)

  /** Writes bytes several times, in a column of texts or binaries. */
  final def write(bytes: Array[Byte], start: Int, length: Int, times: Int): Unit = {
    out.present(times)
    out.write(bytes, start, length, times)
  }

  private def present(vector: ColumnVector, from: Int, until: Int): Unit = {
    out.present(until - from)
    values(vector, from, until)
  }

  private def between(vector: ColumnVector, from: Int, until: Int): Unit = {
    var at = from
    while (at < until) {
      val start = at
      while (at < until && !vector.isNullAt(at)) at += 1
      if (at > start) present(vector, start, at)
      while (at < until && vector.isNullAt(at)) {
        out.absent()
        at += 1
      }
    }
  }
}

private[write] object ColumnEncoder {
  type Constructor = FlatColumn => ColumnEncoder

  /** Returns the encoder of a type; None for types that only Spark's own writer encodes. */
  def of(dataType: DataType): Option[Constructor] = dataType match {
    case BooleanType => Some(new Booleans(_))
    case ByteType => Some(new Bytes(_))
    case ShortType => Some(new Shorts(_))
    case IntegerType | DateType => Some(new Ints(_))
    case LongType | TimestampType | TimestampNTZType => Some(new Longs(_))
    case FloatType => Some(new Floats(_))
    case DoubleType => Some(new Doubles(_))
    case decimal: DecimalType if decimal.precision <= Decimal.MAX_LONG_DIGITS =>
      Some(new ShortDecimals(_, decimal))
    case decimal: DecimalType => Some(new WideDecimals(_, decimal))
    case _: StringType | _: CharType | _: VarcharType => Some(new ByteEncoders.Texts(_))
    case BinaryType => Some(new ByteEncoders.Binaries(_))
    case _ => None
  }

  final private class Booleans(out: FlatColumn)
      extends ColumnEncoder(out) {
    override protected def value(row: InternalRow, ordinal: Int): Unit =
      out.write(row.getBoolean(ordinal))
    override protected def values(vector: ColumnVector, from: Int, until: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getBoolean(at))
        at += 1
      }
    }
  }

  final private class Bytes(out: FlatColumn)
      extends ColumnEncoder(out) {
    override protected def value(row: InternalRow, ordinal: Int): Unit =
      out.write(row.getByte(ordinal).toInt)
    override protected def values(vector: ColumnVector, from: Int, until: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getByte(at).toInt)
        at += 1
      }
    }
  }

  final private class Shorts(out: FlatColumn)
      extends ColumnEncoder(out) {
    override protected def value(row: InternalRow, ordinal: Int): Unit =
      out.write(row.getShort(ordinal).toInt)
    override protected def values(vector: ColumnVector, from: Int, until: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getShort(at).toInt)
        at += 1
      }
    }
  }

  final private class Ints(out: FlatColumn)
      extends ColumnEncoder(out) {
    override protected def value(row: InternalRow, ordinal: Int): Unit =
      out.write(row.getInt(ordinal))
    override protected def values(vector: ColumnVector, from: Int, until: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getInt(at))
        at += 1
      }
    }
  }

  final private class Longs(out: FlatColumn)
      extends ColumnEncoder(out) {
    override protected def value(row: InternalRow, ordinal: Int): Unit =
      out.write(row.getLong(ordinal))
    override protected def values(vector: ColumnVector, from: Int, until: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getLong(at))
        at += 1
      }
    }
  }

  final private class Floats(out: FlatColumn)
      extends ColumnEncoder(out) {
    override protected def value(row: InternalRow, ordinal: Int): Unit =
      out.write(row.getFloat(ordinal))
    override protected def values(vector: ColumnVector, from: Int, until: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getFloat(at))
        at += 1
      }
    }
  }

  final private class Doubles(out: FlatColumn)
      extends ColumnEncoder(out) {
    override protected def value(row: InternalRow, ordinal: Int): Unit =
      out.write(row.getDouble(ordinal))
    override protected def values(vector: ColumnVector, from: Int, until: Int): Unit = {
      var at = from
      while (at < until) {
        out.write(vector.getDouble(at))
        at += 1
      }
    }
  }

  /** Encodes decimals of up to 18 digits, whose column stores numbers in bytes of fixed length. */
  final private class ShortDecimals(out: FlatColumn, of: DecimalType)
      extends ColumnEncoder(out) {
    override protected def value(row: InternalRow, ordinal: Int): Unit =
      out.write(unscaled(row, ordinal, of))
    override protected def values(vector: ColumnVector, from: Int, until: Int): Unit = {
      val digits = new Digits(vector, of)
      var at = from
      while (at < until) {
        out.write(digits(at))
        at += 1
      }
    }
  }

  /** Unscaled value of a short decimal, which an `UnsafeRow` stores as it is. */
  private def unscaled(row: InternalRow, ordinal: Int, of: DecimalType): Long = row match {
    case stored: UnsafeRow => stored.getLong(ordinal)
    case _ => row.getDecimal(ordinal, of.precision, of.scale).toUnscaledLong
  }

  /** Unscaled values of short decimals, which Spark's own vectors store as integers. */
  final private class Digits(vector: ColumnVector, of: DecimalType) {
    private val plain = vector.isInstanceOf[WritableColumnVector]
    private val isInt = of.precision <= Decimal.MAX_INT_DIGITS

    def apply(at: Int): Long =
      if (!plain) unscaled(at)
      else if (isInt) vector.getInt(at).toLong
      else vector.getLong(at)

    private def unscaled(at: Int): Long =
      vector.getDecimal(at, of.precision, of.scale).toUnscaledLong
  }

  /** Encodes decimals of more digits as big-endian two's complements of fixed length. */
  final private class WideDecimals(out: FlatColumn, of: DecimalType)
      extends ColumnEncoder(out) {
    private val padded = new Array[Byte](out.typeLength)

    override protected def value(row: InternalRow, ordinal: Int): Unit =
      put(row.getDecimal(ordinal, of.precision, of.scale))
    override protected def values(vector: ColumnVector, from: Int, until: Int): Unit = {
      var at = from
      while (at < until) {
        put(vector.getDecimal(at, of.precision, of.scale))
        at += 1
      }
    }

    private def put(decimal: Decimal): Unit = {
      val bytes = decimal.toJavaBigDecimal.unscaledValue.toByteArray
      val start = padded.length - bytes.length
      Arrays.fill(padded, 0, start, if (bytes(0) < 0) (-1).toByte else 0.toByte)
      System.arraycopy(bytes, 0, padded, start, bytes.length)
      out.write(padded, 0, padded.length)
    }
  }
}
