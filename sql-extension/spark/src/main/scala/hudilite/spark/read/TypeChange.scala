package hudilite.spark.read

import org.apache.parquet.schema.LogicalTypeAnnotation.{
  DateLogicalTypeAnnotation,
  DecimalLogicalTypeAnnotation,
  IntLogicalTypeAnnotation,
  StringLogicalTypeAnnotation
}
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{
  BINARY,
  DOUBLE,
  FLOAT,
  INT32,
  INT64
}
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Expression}
import org.apache.spark.sql.types._

/** Rules for a column whose type in the table is not the one in an older file: which changes are
  * read, and how the values are converted. Every value has a counterpart in the new type, except as
  * [[mayBeNull]] says.
  *
  * An INT that became a BIGINT or a DOUBLE is no such change: Parquet's reader returns the new type.
  * Source: hudi-format §5; Hudi's schema evolution (SchemaChangeUtils, HoodieParquetFileFormatHelper). */
private[read] object TypeChange {
  private val (digitsOfInt, digitsOfLong) = (10, 19)

  /** Returns the type in which a column of a file is read to be converted to a type; None if the
    * column needs no conversion, or if there is none. */
  def of(column: PrimitiveType, wanted: DataType): Option[DataType] =
    stored(column).filter(isConvertible(_, wanted))

  /** Returns the conversion of a value. As in stock Hudi, a FLOAT becomes the DOUBLE with the same
    * text. */
  def convert(value: Expression, wanted: DataType): Expression = (value.dataType, wanted) match {
    case (FloatType, DoubleType) => cast(cast(value, StringType), DoubleType)
    case _ => cast(value, wanted)
  }

  /** Whether a value of a type may become null: a text that is no date or no number, and a number with
    * too many digits. Stock Hudi reads null or fails. */
  def mayBeNull(stored: DataType, wanted: DataType): Boolean = (stored, wanted) match {
    case (_: StringType, DateType | _: DecimalType) => true
    case (FloatType | DoubleType, _: DecimalType) => true
    case _ => false
  }

  private def cast(value: Expression, wanted: DataType): Expression =
    Cast(value, wanted, Some("UTC"), EvalMode.LEGACY)

  /** Whether values without parts are converted from one type to another. */
  def isConvertible(stored: DataType, wanted: DataType): Boolean = (stored, wanted) match {
    case (BooleanType | BinaryType | TimestampType | TimestampNTZType, _) => false
    case (from, _: StringType) => from != StringType
    case (from, to) if mayBeNull(from, to) => true
    case (IntegerType | LongType, FloatType) => true
    case (LongType | FloatType, DoubleType) => true
    case (IntegerType, to: DecimalType) => to.precision - to.scale >= digitsOfInt
    case (LongType, to: DecimalType) => to.precision - to.scale >= digitsOfLong
    case (from: DecimalType, to: DecimalType) =>
      from != to && to.scale >= from.scale &&
      to.precision - to.scale >= from.precision - from.scale
    case _ => false
  }

  /** Returns the type of a column with numbers or dates. */
  private def stored(column: PrimitiveType): Option[DataType] =
    (column.getPrimitiveTypeName, Option(column.getLogicalTypeAnnotation)) match {
      case (_, Some(of: DecimalLogicalTypeAnnotation)) =>
        Some(DecimalType(of.getPrecision, of.getScale))
      case (INT32, Some(_: DateLogicalTypeAnnotation)) => Some(DateType)
      case (INT32, Some(of: IntLogicalTypeAnnotation)) if of.isSigned => Some(IntegerType)
      case (INT64, Some(of: IntLogicalTypeAnnotation)) if of.isSigned => Some(LongType)
      case (INT32, None) => Some(IntegerType)
      case (INT64, None) => Some(LongType)
      case (FLOAT, None) => Some(FloatType)
      case (DOUBLE, None) => Some(DoubleType)
      case (BINARY, Some(_: StringLogicalTypeAnnotation)) => Some(StringType)
      case _ => None
    }
}
