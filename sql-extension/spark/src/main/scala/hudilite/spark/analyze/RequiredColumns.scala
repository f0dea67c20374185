package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  AttributeMap,
  Concat,
  Expression,
  If,
  IsNull,
  Literal,
  NamedExpression,
  ToPrettyString
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StringType, StructType}

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.{RequiredValue, RowExpression}

/** Values of the NOT NULL columns of a table in the rows that are written. Spark's own check has an
  * error that names the column alone; that of [[RequiredValue]], which replaces it, names the row. */
private[analyze] final class RequiredColumns(table: HudiliteTable) {

  /** Replaces the checks in a value.
    * @param key names and values of the key columns of the row */
  def in(value: Expression, key: Seq[(String, Expression)]): Expression =
    value.transform { case AssertNotNull(child, path) =>
      RequiredValue(child, ofNull(child, text(key)), path.mkString("."), table.name, fix(path))
    }

  /** Replaces the checks in the projections that Spark has added to the rows of an INSERT.
    * @param key names and values of the key columns over the rows */
  def in(rows: LogicalPlan, key: Seq[(String, Expression)]): LogicalPlan = rows match {
    case Project(values, child) =>
      val computed = AttributeMap(values.collect { case of: Alias => of.toAttribute -> of.child })
      val below = key.map { case (name, value) => name -> RowExpression.over(value, computed) }
        .filter(_._2.deterministic)
      val named = values.map(in(_, below)).collect { case value: NamedExpression => value }
      Project(named, in(child, below))
    case other => other
  }

  /** Returns a text that is computed where a value is NULL: else Spark may compute for each row what the
    * texts of several columns have in common. */
  private def ofNull(value: Expression, text: Expression): Expression =
    if (value.deterministic) If(IsNull(value), text, Literal(null, StringType)) else text

  private def text(key: Seq[(String, Expression)]): Expression = {
    val zone = Some(SQLConf.get.sessionLocalTimeZone)
    val parts = key.zipWithIndex.flatMap { case ((name, value), at) =>
      Seq(Literal(s"${if (at > 0) ", " else ""}$name = "), ToPrettyString(value, zone))
    }
    if (parts.isEmpty) Literal("the table has none") else Concat(parts)
  }

  private def fix(path: Seq[String]): String =
    if (isField(path) && table.isInCatalog && !comparesNull(path.head))
      s"Write a value, or allow NULL: ALTER TABLE ${table.name} ALTER COLUMN " +
        s"${path.map(quoteIfNeeded).mkString(".")} DROP NOT NULL."
    else "Write a value."

  /** Whether readers compare the values of a column, which therefore are never NULL. */
  private def comparesNull(column: String): Boolean =
    table.config.isMergeOnRead && table.config.orderingFields.contains(column)

  /** Whether a path leads to a column or a field of structs, and not into an array or a map. */
  private def isField(path: Seq[String]): Boolean =
    path.foldLeft(Option[DataType](table.schema)) {
      case (Some(of: StructType), name) => of.find(_.name == name).map(_.dataType)
      case _ => None
    }.nonEmpty
}
