package hudilite.spark.read

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.avro.generic.GenericDatumReader
import org.apache.avro.{AvroRuntimeException, Schema}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

/** Decoder of the values of one Avro type, which appends them to a vector.
  * @param dataType type of the vector */
private[read] sealed abstract class AvroValues(val dataType: DataType) {

  /** Decodes the next value and appends it. */
  def append(from: AvroInput, to: WritableColumnVector): Unit
}

private[read] object AvroValues {

  /** Decoder of values without parts. */
  final class Plain(of: DataType, one: (AvroInput, WritableColumnVector) => Unit)
      extends AvroValues(of) {
    override def append(from: AvroInput, to: WritableColumnVector): Unit = one(from, to)
  }

  /** Decoder of a union of one type and null.
    * @param isNull for each branch whether it is null */
  final class Nullable(values: AvroValues, isNull: Array[Boolean])
      extends AvroValues(values.dataType) {
    override def append(from: AvroInput, to: WritableColumnVector): Unit =
      if (isNull(from.in.readIndex())) appendNull(dataType, to) else values.append(from, to)
  }

  /** Decoder of arrays. */
  final class Items(of: ArrayType, items: AvroValues)
      extends AvroValues(of.copy(elementType = items.dataType)) {
    override def append(from: AvroInput, to: WritableColumnVector): Unit = {
      val elements = to.arrayData
      val first = elements.getElementsAppended
      var more = from.in.readArrayStart()
      while (more > 0) {
        (0L until more).foreach(_ => items.append(from, elements))
        more = from.in.arrayNext()
      }
      to.putArray(to.appendNotNull(), first, elements.getElementsAppended - first)
    }
  }

  /** Decoder of maps, whose keys are texts in Avro. */
  final class Entries(of: MapType, values: AvroValues)
      extends AvroValues(of.copy(valueType = values.dataType)) {
    override def append(from: AvroInput, to: WritableColumnVector): Unit = {
      val (keys, of) = (to.getChild(0), to.getChild(1))
      val first = keys.getElementsAppended
      var more = from.in.readMapStart()
      while (more > 0) {
        (0L until more).foreach { _ =>
          from.append(from.readLength(), keys)
          values.append(from, of)
        }
        more = from.in.mapNext()
      }
      to.putArray(to.appendNotNull(), first, keys.getElementsAppended - first)
    }
  }

  /** Field of a record, in the order in which records are written. */
  sealed trait Field
  final case class Skipped(schema: Schema) extends Field
  final case class Read(ordinal: Int, values: AvroValues) extends Field

  /** Decoder of records.
    * @param of     type of the structs
    * @param fields all fields of a record
    * @param absent ordinals of the struct's fields that records do not have */
  final class Record(val of: StructType, fields: Array[Field], absent: Array[Int])
      extends AvroValues(of) {
    override def append(from: AvroInput, to: WritableColumnVector): Unit = {
      to.appendStruct(false): Unit
      fields.foreach {
        case Read(ordinal, values) => values.append(from, to.getChild(ordinal))
        case Skipped(schema) => GenericDatumReader.skip(schema, from.in)
      }
      absent.foreach(i => appendNull(of(i).dataType, to.getChild(i)))
    }

    /** Returns a decoder that ends after the last field that is read. */
    def toLastRead: Record = {
      val last = fields.lastIndexWhere(_.isInstanceOf[Read])
      new Record(of, fields.take(last + 1), absent)
    }
  }

  /** Returns the decoder of a type without parts.
    * @param as type of the vector, one that [[AvroColumns]] allows for this type */
  def plain(schema: Schema, as: DataType): AvroValues = new Plain(
    as,
    schema.getType match {
      case Schema.Type.BOOLEAN => (from, to) => to.appendBoolean(from.in.readBoolean()): Unit
      case Schema.Type.INT => ofInt(as)
      case Schema.Type.LONG if isMillis(schema) =>
        (from, to) => to.appendLong(DateTimeUtils.millisToMicros(from.in.readLong())): Unit
      case Schema.Type.LONG => (from, to) => to.appendLong(from.in.readLong()): Unit
      case Schema.Type.FLOAT => (from, to) => to.appendFloat(from.in.readFloat()): Unit
      case Schema.Type.DOUBLE => (from, to) => to.appendDouble(from.in.readDouble()): Unit
      case Schema.Type.ENUM => ofEnum(schema)
      case _ =>
        val length = lengthOf(schema)
        as match {
          case of: DecimalType => (from, to) => appendDecimal(from, length(from), of, to)
          case _ => (from, to) => from.append(length(from), to)
        }
    }
  )

  private def isMillis(schema: Schema): Boolean =
    Option(schema.getLogicalType).exists(_.getName.endsWith("timestamp-millis"))

  private def ofInt(as: DataType): (AvroInput, WritableColumnVector) => Unit = as match {
    case ByteType => (from, to) => to.appendByte(from.in.readInt().toByte): Unit
    case ShortType => (from, to) => to.appendShort(from.in.readInt().toShort): Unit
    case LongType => (from, to) => to.appendLong(from.in.readInt().toLong): Unit
    case DoubleType => (from, to) => to.appendDouble(from.in.readInt().toDouble): Unit
    case _ => (from, to) => to.appendInt(from.in.readInt()): Unit
  }

  private def ofEnum(schema: Schema): (AvroInput, WritableColumnVector) => Unit = {
    val symbols = schema.getEnumSymbols.toArray(Array.empty[String]).map(_.getBytes(UTF_8))
    (from, to) => {
      val symbol = symbols(from.in.readEnum())
      to.appendByteArray(symbol, 0, symbol.length): Unit
    }
  }

  private def lengthOf(schema: Schema): AvroInput => Int =
    if (schema.getType == Schema.Type.FIXED) {
      val size = schema.getFixedSize
      _ => size
    } else _.readLength()

  /** Appends a decimal in the form in which Spark's vectors have decimals of this precision. */
  private def appendDecimal(
      from: AvroInput,
      length: Int,
      of: DecimalType,
      to: WritableColumnVector
  ): Unit = {
    if (length == 0) throw new AvroRuntimeException("a decimal has no bytes")
    if (of.precision > Decimal.MAX_LONG_DIGITS) from.append(length, to)
    else {
      val unscaled = longOf(from.read(length), length)
      if (of.precision <= Decimal.MAX_INT_DIGITS) to.appendInt(unscaled.toInt): Unit
      else to.appendLong(unscaled): Unit
    }
  }

  private def longOf(bytes: Array[Byte], length: Int): Long =
    (1 until length).foldLeft(bytes(0).toLong)((high, i) => high << 8 | bytes(i) & 0xff)

  private def appendNull(of: DataType, to: WritableColumnVector): Unit = of match {
    case _: StructType => to.appendStruct(true): Unit
    case _ => to.appendNull(): Unit
  }
}
