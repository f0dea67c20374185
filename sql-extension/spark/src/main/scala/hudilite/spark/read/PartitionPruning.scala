package hudilite.spark.read

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.{Predicate => RowPredicate}
import org.apache.spark.sql.types.{DataType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{KeyGenerator, TableConfig}
import hudilite.spark.plan.KeyText

/** Decides by the values in a partition's path whether a row there can pass the filters. Runs on
  * the driver.
  *
  * A partition is kept when a value that a filter needs is not known: Hudi's default partition
  * (null or empty), a text that is not what Hudi writes for the column's type, or a type whose
  * text is not exact.
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
        val values = columns.zip(texts).map { case (column, text) => value(column, text) }
        tests.forall(_.holds(values))
      }
  }

  private final case class Test(predicate: BasePredicate, ordinals: Set[Int]) {

    /** An error of the predicate keeps the partition: it is the query's to raise, for a row. */
    def holds(values: Seq[Option[Any]]): Boolean =
      ordinals.exists(values(_).isEmpty) ||
        Try(predicate.eval(InternalRow.fromSeq(values.map(_.orNull)))).getOrElse(true)
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
        Test(RowPredicate.createInterpreted(bound), part.references.map(r => ordinal(r.name)).toSet)
      }
  }

  /** The value of a path's text, when writing that value would give the same text. */
  private def value(column: StructField, text: Option[String]): Option[Any] =
    text.filter(_ => KeyText.supports(column.dataType)).flatMap { written =>
      val typed = parsed(written, column.dataType)
      val again = KeyText.expression(Literal.create(typed, column.dataType)).eval()
      if (again == UTF8String.fromString(written)) Some(typed) else None
    }

  private def parsed(text: String, dataType: DataType): Any =
    Cast(Literal(text), dataType, Some("UTC"), EvalMode.TRY).eval()

  /** Timestamp-based and custom key generators write other texts than the column's value. */
  private def pathHoldsValue(config: TableConfig): Boolean =
    KeyGenerator.of(config.properties).isDefined
}
