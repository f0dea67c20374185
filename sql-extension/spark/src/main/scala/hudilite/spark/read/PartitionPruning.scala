package hudilite.spark.read

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.{Predicate => RowPredicate}
import org.apache.spark.sql.types.{DataType, NullType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{PartitionPath, TableConfig}
import hudilite.spark.plan.KeyText

/** Decides from the values in a partition path whether a row of the partition can pass filters.
  * Runs on the driver.
  *
  * A partition is kept if a value that a filter needs is not known. This is the case if the text is
  * not what Hudi writes for the column's type, or if the text of the type is not exact. In Hudi's
  * default partition a value is null or, in a string column, empty or the partition's own name.
  */
object PartitionPruning extends PredicateHelper {

  /** Function that returns whether to keep a partition, from its decoded values in the order of the
    * partition columns. From the values of the first columns alone, it returns whether a partition
    * that has them may be kept. */
  type Keep = Seq[Option[String]] => Boolean

  /** Returns the test that filters put on the path of a partition.
    * @param config  hoodie.properties of the table
    * @param schema  table schema
    * @param filters predicates that are all true for a wanted row
    * @return None if the filters do not restrict the partitions
    */
  def keep(config: TableConfig, schema: StructType, filters: Seq[Expression]): Option[Keep] = {
    val columns = levels(config, schema)
    val tests = parts(filters).flatMap(test(_, columns))
    if (tests.isEmpty) None
    else
      Some { texts =>
        val values = candidates(columns, texts)
        tests.forall(_.holds(values))
      }
  }

  /** Returns a function of the decoded values of a partition or of its first columns, as for
    * [[Keep]]. Its result is true
    * if the predicate is true for all rows that the partition may contain, false if for none, and
    * None if the path does not decide it.
    * @param condition resolved predicate over columns with the names of the table's columns
    * @return None if the predicate needs more than the partition columns */
  def decide(
      config: TableConfig,
      schema: StructType,
      condition: Expression
  ): Option[Seq[Option[String]] => Option[Boolean]] = {
    val columns = levels(config, schema)
    val whole = if (isPlain(condition)) test(condition, columns) else None
    whole.filter(_.isWhole).map { ofAll =>
      val ofParts = parts(Seq(condition)).flatMap(test(_, columns))
      texts =>
        val values = candidates(columns, texts)
        if (texts.size == columns.size) ofAll.outcomes(values)
        else Option.when(!ofParts.forall(_.holds(values)))(false)
    }
  }

  /** Returns a test that keeps every partition whose path has one of these sets of folder names.
    * @param choices folder names by their level in the path, from 0 */
  def ofFolders(config: TableConfig, choices: Seq[Map[Int, String]]): Keep = {
    def valueOf(level: Int, folder: String): Option[Option[String]] = PartitionPath
      .decode(folder, config.partitionFields.slice(level, level + 1), config.hiveStyle,
        config.urlEncode)
      .flatMap(_.headOption)
    val wanted = choices.map(_.map { case (level, folder) => level -> valueOf(level, folder) })
    values =>
      wanted.exists(_.forall { case (level, value) =>
        value.forall(text => values.lift(level).forall(_ == text))
      })
  }

  /** Values that a column may have in a partition; None if they are not known. */
  private type Candidates = Option[Seq[Any]]

  private final case class Test(predicate: BasePredicate, ordinals: Set[Int], isWhole: Boolean) {

    /** Returns the result for all possible rows; None if rows may differ, or if the predicate fails for
      * one: then only a row that exists may fail the statement. */
    def outcomes(values: Seq[Candidates]): Option[Boolean] =
      if (ordinals.exists(values(_).isEmpty)) None
      else
        Try(rows(values).map(predicate.eval).distinct).toOption.collect { case Seq(answer) =>
          answer
        }

    def holds(values: Seq[Candidates]): Boolean =
      ordinals.exists(values(_).isEmpty) || rows(values).exists(isTrue)

    /** True also if the predicate fails: the partition is kept, and only a row may fail the
      * query. */
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

  /** Returns the column of each level of the path. A level whose folders have other texts than the
    * column's values, as timestamp-based key generators write them, gets the type null: no filter
    * uses it. */
  private def levels(config: TableConfig, schema: StructType): Seq[StructField] =
    config.partitionFields.map { name =>
      val column =
        schema.fields.find(_.name.equalsIgnoreCase(name)).getOrElse(StructField(name, StringType))
      if (config.holdsValue(name)) column else column.copy(dataType = NullType)
    }

  private def parts(filters: Seq[Expression]): Seq[Expression] =
    filters.flatMap(splitConjunctivePredicates).filter(isPlain)

  private def isPlain(filter: Expression): Boolean =
    filter.deterministic && !SubqueryExpression.hasSubquery(filter) &&
      !filter.exists(_.isInstanceOf[PythonUDF])

  private def test(filter: Expression, columns: Seq[StructField]): Option[Test] = {
    def ordinal(name: String): Int = columns.indexWhere(_.name.equalsIgnoreCase(name))
    val usable = AttributeSet(filter.references.filter { reference =>
      val at = ordinal(reference.name)
      at >= 0 && columns(at).dataType != NullType && KeyText.supports(reference.dataType)
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

  /** Returns the values of each column; not known are those of columns without a text. */
  private def candidates(
      columns: Seq[StructField],
      texts: Seq[Option[String]]
  ): Seq[Candidates] = {
    val known = columns.zip(texts).map { case (column, text) => candidates(column, text) }
    known.padTo(columns.size, None: Candidates)
  }

  private def candidates(column: StructField, text: Option[String]): Candidates =
    if (!KeyText.supports(column.dataType)) None
    else text.fold[Candidates](Some(defaults(column.dataType)))(value(column, _))

  /** Returns the values of a column in Hudi's default partition; a string equal to the partition's
    * own name is stored there too. */
  private def defaults(dataType: DataType): Seq[Any] = dataType match {
    case _: StringType =>
      Seq(noValue, UTF8String.EMPTY_UTF8, UTF8String.fromString(PartitionPath.DefaultValue))
    case _ => Seq(noValue)
  }

  /** Returns the value of a path's text, if Hudi writes that text for the value; else None. */
  private def value(column: StructField, text: String): Candidates = {
    val typed = parsed(text, column.dataType)
    val again = KeyText.expression(Literal.create(typed, column.dataType)).eval()
    if (again == UTF8String.fromString(text)) Some(Seq(typed)) else None
  }

  private val noValue: Any = Option.empty[AnyRef].orNull

  private def parsed(text: String, dataType: DataType): Any =
    Cast(Literal(text), dataType, Some("UTC"), EvalMode.TRY).eval()
}
