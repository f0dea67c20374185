package hudilite.spark.read

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema.Type._
import org.apache.avro.{LogicalTypes, Schema}
import org.apache.spark.sql.types._

import hudilite.error.HudiliteException

/** Choice of the decoders of records, by the schema with which they were written and the columns that
  * are read. Columns and fields are found by name; one that the schema does not have is null. A value
  * has the type that Parquet's reader returns for the same stored value; [[TypeChange]] says which
  * other types it is converted to later.
  *
  * Source: hudi-format §3.7, merge-on-read §1.1.
  * @param path file of the records, for errors */
private[read] final class AvroColumns(path: String, isCaseSensitive: Boolean) {
  import AvroColumns._

  /** Returns the decoder of a record.
    * @param wanted columns to read
    * Errors: HUDILITE_COLUMN_TYPE_MISMATCH. */
  def record(schema: Schema, wanted: StructType): AvroValues.Record = record(schema, wanted, "")

  /** Returns a function: whether a record has a column. */
  def has(schema: Schema): String => Boolean = {
    val names = schema.getFields.asScala.map(field => key(field.name)).toSet
    name => names(key(name))
  }

  private def record(schema: Schema, wanted: StructType, parent: String): AvroValues.Record = {
    val stored = schema.getFields.asScala.toSeq
    val places = stored.map(field => key(field.name)).zipWithIndex.reverse.toMap // first of equals
    val found = wanted.map(field => places.get(key(field.name)))
    val read = wanted.zip(found).zipWithIndex.collect { case ((field, Some(place)), ordinal) =>
      val values = valuesOf(stored(place).schema, field.dataType, parent + field.name)
      place -> AvroValues.Read(ordinal, values)
    }.toMap
    val types = read.values.map(field => field.ordinal -> field.values.dataType).toMap
    new AvroValues.Record(
      StructType(wanted.zipWithIndex.map { case (field, i) =>
        field.copy(dataType = types.getOrElse(i, field.dataType))
      }),
      stored.zipWithIndex.map { case (field, place) =>
        read.getOrElse(place, AvroValues.Skipped(field.schema))
      }.toArray,
      wanted.indices.filter(found(_).isEmpty).toArray
    )
  }

  private def key(name: String): String =
    if (isCaseSensitive) name else name.toLowerCase(Locale.ROOT)

  private def valuesOf(schema: Schema, wanted: DataType, column: String): AvroValues =
    (schema.getType, wanted) match {
      case (UNION, _) =>
        schema.getTypes.asScala.toSeq.filterNot(_.getType == NULL) match {
          case Seq(one) =>
            val isNull = schema.getTypes.asScala.map(_.getType == NULL).toArray
            new AvroValues.Nullable(valuesOf(one, wanted, column), isNull)
          case _ => mismatch(schema, wanted, column)
        }
      case (RECORD, of: StructType) => record(schema, of, s"$column.")
      case (ARRAY, of: ArrayType) =>
        val items = valuesOf(schema.getElementType, of.elementType, s"$column.element")
        new AvroValues.Items(of, items)
      case (MAP, of @ MapType(_: StringType, valueType, _)) =>
        new AvroValues.Entries(of, valuesOf(schema.getValueType, valueType, s"$column.value"))
      case _ =>
        plainType(schema).flatMap(readAs(_, wanted)).fold(mismatch(schema, wanted, column)) {
          AvroValues.plain(schema, _)
        }
    }

  private def mismatch(schema: Schema, wanted: DataType, column: String): Nothing =
    throw new HudiliteException(
      "HUDILITE_COLUMN_TYPE_MISMATCH",
      Map(
        "column" -> column,
        "path" -> path,
        "stored" -> nameOf(schema),
        "type" -> wanted.catalogString
      )
    )
}

private object AvroColumns {

  /** Returns the type of a schema without parts; None if no column has such values. */
  private def plainType(schema: Schema): Option[DataType] =
    (schema.getType, Option(schema.getLogicalType)) match {
      case (BYTES | FIXED, Some(of: LogicalTypes.Decimal)) =>
        Some(DecimalType(of.getPrecision, of.getScale))
      case (INT, Some(_: LogicalTypes.Date)) => Some(DateType)
      case (LONG, Some(_: LogicalTypes.TimestampMicros | _: LogicalTypes.TimestampMillis)) =>
        Some(TimestampType)
      case (
            LONG,
            Some(_: LogicalTypes.LocalTimestampMicros | _: LogicalTypes.LocalTimestampMillis)
          ) => Some(TimestampNTZType)
      case (INT | LONG, Some(_)) => None
      case (of, _) => plain.get(of)
    }

  private val plain = Map[Schema.Type, DataType](
    BOOLEAN -> BooleanType,
    INT -> IntegerType,
    LONG -> LongType,
    FLOAT -> FloatType,
    DOUBLE -> DoubleType,
    STRING -> StringType,
    ENUM -> StringType,
    BYTES -> BinaryType,
    FIXED -> BinaryType
  )

  /** Returns the type in which values are read to be returned as another type, as Parquet's reader
    * and [[TypeChange]] have it; None if they cannot be. */
  private def readAs(stored: DataType, wanted: DataType): Option[DataType] =
    (stored, wanted) match {
      case (from, to) if from == to => Some(to)
      case (StringType | BinaryType, _: StringType | BinaryType) => Some(wanted)
      case (IntegerType, ByteType | ShortType | LongType | DoubleType) => Some(wanted)
      case (TimestampNTZType, TimestampType) => Some(wanted)
      case (from, to) => Option.when(TypeChange.isConvertible(from, to))(from)
    }

  private def nameOf(schema: Schema): String = schema.getType match {
    case UNION => schema.getTypes.asScala.map(nameOf).mkString("union of ", " and ", "")
    case of => Option(schema.getLogicalType).fold(of.getName)(logical =>
        s"${of.getName} (${logical.getName})"
      )
  }
}
