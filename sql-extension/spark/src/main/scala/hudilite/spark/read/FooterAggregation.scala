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

/** Counts, least and greatest values that a scan gives instead of rows, a row of them for each file, or
  * for each group of a file's rows. Spark puts these together.
  * @param groups    partition columns by which rows are grouped
  * @param functions what is asked for
  */
private[read] final case class FooterAggregation(
    groups: Seq[StructField],
    functions: Seq[FooterFunction]
) {

  /** The columns of such a row: groups first. */
  def schema: StructType = StructType(
    groups.map(_.copy(nullable = true)) ++
      functions.map(f => StructField(f.text, f.dataType, nullable = true))
  )

  /** Columns of a file that cannot tell by its footer. */
  def columns: StructType = StructType((groups ++ functions.flatMap(_.field)).distinct)

  /** Text for EXPLAIN. */
  def text: String = {
    val by = if (groups.isEmpty) "" else groups.map(_.name).mkString(" by [", ", ", "]")
    functions.map(_.text).mkString("pushed aggregates [", ", ", "]") + by
  }
}

/** One of the functions that a footer can tell. */
private[read] sealed trait FooterFunction extends Product with Serializable {

  /** The column that it is of. */
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

  /** What footers can tell of an aggregation, nothing where a part of it is more.
    *
    * Bounds of texts and binaries may be cut short, those of decimals lie in binaries, those of floating
    * point leave NaN and the sign of zero open: none of them is taken.
    * Source: Spark's AggregatePushDownUtils; timestamps are taken too, where a file holds them as numbers.
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

  /** Types whose bounds in a footer are values. */
  private def hasBounds(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType => true
    case DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }

  /** Types of which a footer tells when all values are one: bounds that were cut are not alike. */
  private def isConstant(dataType: DataType): Boolean =
    hasBounds(dataType) || dataType == StringType

  /** Types that are one column of Parquet. */
  private def isPlain(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType | _: UserDefinedType[_] => false
    case VariantType | _: CharType | _: VarcharType => false
    case _ => true
  }
}
