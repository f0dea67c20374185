package hudilite.spark.read

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.{Predicate => RowPredicate}
import org.apache.spark.sql.types.{DataType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{KeyGenerator, PartitionPath, TableConfig}
import hudilite.spark.plan.KeyText

/** Decides by the values in a partition's path whether a row there can pass the filters. Runs on
  * the driver.
  *
  * A partition is kept when a value that a filter needs is not known: a text that is not what Hudi
  * writes for the column's type, or a type whose text is not exact. In Hudi's default partition a
  * value is null or, in a string column, empty.
  */
object PartitionPruning extends PredicateHelper {

  /** Whether to keep a partition, given its decoded values in the order of the partition columns. */
  type Keep = Seq[Option[String]] => Boolean

  /** @param config  table facts
    * @param schema  table schema
    * @param filters predicates that are all true for a wanted row
    * @return None when the filters say nothing about partitions
    */
  def keep(config: TableConfig, schema: StructType, filters: Seq[Expression]): Option[Keep] = {
    val columns = config.partitionFields.map(field(_, schema))
    val tests =
      if (pathHoldsValue(config)) filters.filter(isPlain).flatMap(test(_, columns)) else Nil
    if (tests.isEmpty) None
    else
      Some { texts =>
        val values = columns.zip(texts).map { case (column, text) => candidates(column, text) }
        tests.forall(_.holds(values))
      }
  }

  /** Whether a predicate is true for all rows that a partition may hold, or for none; nothing when
    * the path does not tell. Asked with the decoded values, as [[Keep]] is.
    * @param condition resolved, over columns with the names of the table's
    * @return nothing when the predicate needs more than the partition columns */
  def decide(
      config: TableConfig,
      schema: StructType,
      condition: Expression
  ): Option[Seq[Option[String]] => Option[Boolean]] = {
    val columns = config.partitionFields.map(field(_, schema))
    val whole = if (pathHoldsValue(config) && isPlain(condition)) test(condition, columns) else None
    whole.filter(_.isWhole).map { test => texts =>
      test.outcomes(columns.zip(texts).map { case (column, text) => candidates(column, text) })
    }
  }

  /** Values that a partition column may have there; None when nothing is known. */
  private type Candidates = Option[Seq[Any]]

  private final case class Test(predicate: BasePredicate, ordinals: Set[Int], isWhole: Boolean) {

    /** The one answer for all rows that there may be. */
    def outcomes(values: Seq[Candidates]): Option[Boolean] =
      if (ordinals.exists(values(_).isEmpty)) None
      else
        rows(values).map(predicate.eval).distinct match {
          case Seq(answer) => Some(answer)
          case _ => None
        }

    def holds(values: Seq[Candidates]): Boolean =
      ordinals.exists(values(_).isEmpty) || rows(values).exists(isTrue)

    /** An error of the predicate keeps the partition: it is the query's to raise, for a row. */
    private def isTrue(row: InternalRow): Boolean = Try(predicate.eval(row)).getOrElse(true)

    private def rows(values: Seq[Candidates]): Seq[InternalRow] = {
      val columns = values.zipWithIndex.map { case (candidates, i) =>
        if (ordinals(i)) candidates.getOrElse(Nil) else Seq(noValue)
      }
      columns
        .foldRight(Seq(Seq.empty[Any])) { (column, rest) =>
          column.flatMap(value => rest.map(value +: _))
        }
        .map(InternalRow.fromSeq)
    }
  }

  private def field(name: String, schema: StructType): StructField =
    schema.fields
      .find(_.name.equalsIgnoreCase(name))
      .getOrElse(StructField(name, StringType))

  private def isPlain(filter: Expression): Boolean =
    filter.deterministic && !SubqueryExpression.hasSubquery(filter) &&
      !filter.exists(_.isInstanceOf[PythonUDF])

  private def test(filter: Expression, columns: Seq[StructField]): Option[Test] = {
    def ordinal(name: String): Int = columns.indexWhere(_.name.equalsIgnoreCase(name))
    val usable = AttributeSet(filter.references.filter { reference =>
      ordinal(reference.name) >= 0 && KeyText.supports(reference.dataType)
    })
    extractPredicatesWithinOutputSet(filter, usable)
      .filter(_.references.nonEmpty)
      .map { part =>
        val bound = part.transform { case reference: Attribute =>
          BoundReference(ordinal(reference.name), reference.dataType, nullable = true)
        }
        Test(
          RowPredicate.createInterpreted(bound),
          part.references.map(r => ordinal(r.name)).toSet,
          part == filter
        )
      }
  }

  private def candidates(column: StructField, text: Option[String]): Candidates =
    if (!KeyText.supports(column.dataType)) None
    else text.fold[Candidates](Some(defaults(column.dataType)))(value(column, _))

  /** A value whose text is the default partition's own name lies there too. */
  private def defaults(dataType: DataType): Seq[Any] = dataType match {
    case _: StringType =>
      Seq(noValue, UTF8String.EMPTY_UTF8, UTF8String.fromString(PartitionPath.DefaultValue))
    case _ => Seq(noValue)
  }

  /** The value of a path's text, when writing that value would give the same text. */
  private def value(column: StructField, text: String): Candidates = {
    val typed = parsed(text, column.dataType)
    val again = KeyText.expression(Literal.create(typed, column.dataType)).eval()
    if (again == UTF8String.fromString(text)) Some(Seq(typed)) else None
  }

  private val noValue: Any = Option.empty[AnyRef].orNull

  private def parsed(text: String, dataType: DataType): Any =
    Cast(Literal(text), dataType, Some("UTC"), EvalMode.TRY).eval()

  /** Timestamp-based and custom key generators write other texts than the column's value. */
  private def pathHoldsValue(config: TableConfig): Boolean =
    KeyGenerator.of(config.properties).isDefined
}
