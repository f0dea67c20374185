package hudilite.spark.read

import org.apache.spark.sql.connector.expressions.aggregate.{
  AggregateFunc,
  Aggregation,
  Count,
  CountStar,
  Max,
  Min
}
import org.apache.spark.sql.connector.expressions.{Expression, NamedReference}
import org.apache.spark.sql.types._

import hudilite.format.TableConfig

/** Counts, minima and maxima that a scan returns instead of rows: one row for each file, or for
  * each combination of grouping values in a file. Spark combines them.
  * @param groups    partition columns of GROUP BY
  * @param functions aggregate functions
  */
private[read] final case class FooterAggregation(
    groups: Seq[StructField],
    functions: Seq[FooterFunction]
) {

  /** Columns of the aggregated rows, GROUP BY columns first. */
  def schema: StructType = StructType(
    groups.map(_.copy(nullable = true)) ++
      functions.map(f => StructField(f.text, f.dataType, nullable = true))
  )

  /** Columns to read from a file whose footer does not contain enough. */
  def columns: StructType = StructType((groups ++ functions.flatMap(_.field)).distinct)

  /** Text for EXPLAIN. */
  def text: String = {
    val by = if (groups.isEmpty) "" else groups.map(_.name).mkString(" by [", ", ", "]")
    functions.map(_.text).mkString("pushed aggregates [", ", ", "]") + by
  }
}

/** Aggregate function whose result a footer can contain. */
private[read] sealed trait FooterFunction extends Product with Serializable {

  /** Column that is aggregated; None for count(*). */
  def field: Option[StructField]
  def dataType: DataType
  def text: String
}

private[read] object FooterFunction {
  case object Rows extends FooterFunction {
    override def field: Option[StructField] = None
    override def dataType: DataType = LongType
    override def text: String = "count(*)"
  }

  final case class Values(column: StructField) extends FooterFunction {
    override def field: Option[StructField] = Some(column)
    override def dataType: DataType = LongType
    override def text: String = s"count(${column.name})"
  }

  final case class Least(column: StructField) extends FooterFunction {
    override def field: Option[StructField] = Some(column)
    override def dataType: DataType = column.dataType
    override def text: String = s"min(${column.name})"
  }

  final case class Greatest(column: StructField) extends FooterFunction {
    override def field: Option[StructField] = Some(column)
    override def dataType: DataType = column.dataType
    override def text: String = s"max(${column.name})"
  }
}

private[read] object FooterAggregation {
  import FooterFunction._

  /** Returns the aggregation if footers can answer all of it, else None.
    *
    * Bounds of some types are not used: those of strings and binaries may be truncated, those of
    * decimals may be stored as binaries, and those of floating-point numbers leave NaN and the sign
    * of zero open. Bounds of strings are used only for a partition column, which has a single value
    * in a file.
    * Source: Spark's AggregatePushDownUtils; unlike there, timestamps are used too, if a file
    * stores them as integers.
    * @param schema table schema, without the metadata columns */
  def of(
      asked: Aggregation,
      config: TableConfig,
      schema: StructType
  ): Option[FooterAggregation] = {
    def column(reference: Expression): Option[StructField] = reference match {
      case named: NamedReference if named.fieldNames.length == 1 =>
        schema.fields.find(_.name == named.fieldNames.head)
      case _ => None
    }
    def isOfPartition(field: StructField) = config.partitionFields.contains(field.name)
    def bounded(reference: Expression): Option[StructField] = column(reference).filter { field =>
      hasBounds(field.dataType) || (isOfPartition(field) && isConstant(field.dataType))
    }
    def function(of: AggregateFunc): Option[FooterFunction] = of match {
      case _: CountStar => Some(Rows)
      case count: Count if !count.isDistinct =>
        column(count.column).filter(field => isPlain(field.dataType)).map(Values(_))
      case min: Min => bounded(min.column).map(Least(_))
      case max: Max => bounded(max.column).map(Greatest(_))
      case _ => None
    }
    val groups = asked.groupByExpressions.toSeq.map { by =>
      column(by).filter(field => isOfPartition(field) && isConstant(field.dataType))
    }
    val functions = asked.aggregateExpressions.toSeq.map(function)
    Option.when((groups ++ functions).forall(_.nonEmpty)) {
      FooterAggregation(groups.flatten, functions.flatten)
    }
  }

  /** Whether the bounds of a type in a footer are values of the column. */
  private def hasBounds(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType => true
    case DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }

  /** Whether a footer shows that all values of a column of this type are equal. True for strings,
    * because truncated bounds are never equal. */
  private def isConstant(dataType: DataType): Boolean =
    hasBounds(dataType) || dataType == StringType

  /** Whether a column of this type is a single Parquet column. */
  private def isPlain(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType | _: UserDefinedType[_] => false
    case VariantType | _: CharType | _: VarcharType => false
    case _ => true
  }
}
