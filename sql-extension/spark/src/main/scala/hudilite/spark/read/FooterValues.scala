package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ColumnPath, ParquetMetadata}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.LogicalTypeAnnotation.{
  TimeUnit,
  dateType,
  intType,
  stringType,
  timestampType
}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{BINARY, BOOLEAN, INT32, INT64}
import org.apache.parquet.schema.Type.Repetition
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType, Type}
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns.EXISTS_DEFAULT_COLUMN_METADATA_KEY
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Statistics of a column in one file.
  * @param values number of values that are not null
  * @param bounds minimum and maximum, empty if there are no values; None if they are unknown */
private[read] final case class ColumnFacts(values: Long, bounds: Option[Seq[Any]]) {

  /** Returns the single value of all rows, which may be null; None if rows may differ.
    * @param rows number of rows of the file */
  def constant(rows: Long): Option[Any] = bounds match {
    case Some(Seq()) => Some(FooterValues.noValue)
    case Some(Seq(least, greatest)) if values == rows && least == greatest => Some(least)
    case _ => None
  }
}

/** Column statistics from the footer of a file (task side). Returns only what is certain. It
  * ignores absent statistics, columns of another type than the table's, dates of another calendar,
  * and names that differ in case only.
  * Source: parquet-format's Statistics; Spark's ParquetSchemaConverter for the types. */
private[read] final class FooterValues(footer: ParquetMetadata, isCaseSensitive: Boolean) {
  import FooterValues._

  private val blocks = footer.getBlocks.asScala.toSeq
  private val types = footer.getFileMetaData.getSchema.getFields.asScala.toSeq
  private lazy val isOfOurCalendar = FileCalendar.isOurs(footer.getFileMetaData)

  def rows: Long = blocks.map(_.getRowCount).sum

  /** Returns the statistics of a column; None if the footer does not show how many values there
    * are. */
  def of(field: StructField): Option[ColumnFacts] =
    types.filter(column => isCalled(column, field.name)) match {
      case Seq() => Option.when(!hasDefault(field))(ColumnFacts(0, Some(Nil)))
      case Seq(column) if column.isPrimitive && !column.isRepetition(Repetition.REPEATED) =>
        Option.when(!mayBeNull(column.asPrimitiveType, field.dataType))(column.asPrimitiveType)
          .flatMap(facts(field.dataType, _))
      case _ => None
    }

  /** Whether values that the footer counts are null in the table's type. */
  private def mayBeNull(column: PrimitiveType, wanted: DataType): Boolean =
    TypeChange.of(column, wanted).exists(TypeChange.mayBeNull(_, wanted))

  private def isCalled(column: Type, name: String): Boolean =
    column.getName == name || (!isCaseSensitive && column.getName.equalsIgnoreCase(name))

  private def facts(dataType: DataType, column: PrimitiveType): Option[ColumnFacts] = {
    val path = ColumnPath.get(column.getName)
    val chunks = blocks.map(b => b.getRowCount -> b.getColumns.asScala.find(_.getPath == path))
    val counts = chunks.map { case (rows, chunk) => chunk.flatMap(valuesOf(_, rows, column)) }
    Option.when(counts.forall(_.nonEmpty)) {
      val bounds = chunks.zip(counts.flatten).collect {
        case ((_, chunk), count) if count > 0 =>
          chunk.flatMap(boundsOf(_, dataType, column))
      }
      val known = Option.when(bounds.forall(_.nonEmpty))(bounds.flatten.flatten)
      ColumnFacts(counts.flatten.sum, known.map(extremes(_, dataType)))
    }
  }

  private def valuesOf(
      chunk: ColumnChunkMetaData,
      rows: Long,
      column: PrimitiveType
  ): Option[Long] =
    if (column.isRepetition(Repetition.REQUIRED)) Some(rows)
    else statistics(chunk).filter(_.isNumNullsSet).map(rows - _.getNumNulls).filter(_ >= 0)

  private def boundsOf(
      chunk: ColumnChunkMetaData,
      dataType: DataType,
      column: PrimitiveType
  ): Option[Seq[Any]] =
    statistics(chunk).filter(_.hasNonNullValue).flatMap { found =>
      valueOf(dataType, column).map { value =>
        Seq(value(found.genericGetMin), value(found.genericGetMax))
      }
    }

  private def statistics(chunk: ColumnChunkMetaData): Option[Statistics[_]] =
    Option(chunk.getStatistics)

  /** Returns the conversion of a column's bounds to Spark's internal values; None if the Parquet
    * type is not the one of the table's type. */
  private def valueOf(dataType: DataType, column: PrimitiveType): Option[Any => Any] = {
    val is = Option(column.getLogicalTypeAnnotation)
    def isNumber(bits: Int*) = is.forall(a => bits.exists(intType(_, true) == a))
    def isTime(utc: Boolean) =
      is.contains(timestampType(utc, TimeUnit.MICROS)) && isOfOurCalendar
    (dataType, column.getPrimitiveTypeName) match {
      case (BooleanType, BOOLEAN) if is.isEmpty => Some(identity)
      case (ByteType, INT32) if isNumber(8) => Some(number(_).byteValue)
      case (ShortType, INT32) if isNumber(8, 16) => Some(number(_).shortValue)
      case (IntegerType, INT32) if isNumber(8, 16, 32) => Some(identity)
      case (LongType, INT64) if isNumber(64) => Some(identity)
      case (DateType, INT32) if is.contains(dateType()) && isOfOurCalendar => Some(identity)
      case (TimestampType, INT64) if isTime(utc = true) => Some(identity)
      case (TimestampNTZType, INT64) if isTime(utc = false) => Some(identity)
      case (StringType, BINARY) if is.contains(stringType(): LogicalTypeAnnotation) => Some(text)
      case _ => None
    }
  }
}

private[read] object FooterValues {

  /** SQL's null. */
  val noValue: Any = Option.empty[AnyRef].orNull

  /** Returns minimum and maximum; empty if there are no values. */
  def extremes(values: Seq[Any], dataType: DataType): Seq[Any] =
    if (values.isEmpty) Nil
    else {
      val ordering = TypeUtils.getInterpretedOrdering(dataType)
      Seq(values.min(ordering), values.max(ordering))
    }

  private def number(value: Any): Number = value match {
    case number: Number => number
    case other => throw new IllegalStateException(s"INTERNAL: $other is no number")
  }

  private def text(value: Any): Any = value match {
    case bytes: Binary => UTF8String.fromBytes(bytes.getBytes)
    case other => throw new IllegalStateException(s"INTERNAL: $other is no text")
  }

  /** Whether rows of a file without the column have a default value in it. */
  private def hasDefault(field: StructField): Boolean =
    field.metadata.contains(EXISTS_DEFAULT_COLUMN_METADATA_KEY)
}
