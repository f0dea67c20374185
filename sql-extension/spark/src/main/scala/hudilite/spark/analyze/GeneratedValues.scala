package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.AssignmentUtils
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  EqualNullSafe,
  Expression,
  Literal,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Assignment, LogicalPlan, Project}

import hudilite.spark.catalog.{GeneratedColumns, HudiliteTable}
import hudilite.spark.plan.RowExpression

/** Values of the generated columns of a table in the rows of a statement. Those that the statement
  * leaves out are computed here; those that it gives are compared by [[CheckRows]]. */
private[analyze] final class GeneratedValues(target: HudiliteTarget) {
  private val columns = target.columns
  private lazy val expressions =
    GeneratedValues.expressions(target.table, columns).map { case (column, _, value) =>
      column.exprId -> value
    }.toMap

  /** Returns the values of a row with those of the generated columns that a clause leaves out. An
    * UPDATE that sets no column of the expression leaves the value as it is.
    * @param values one for each column, that of the table's row if the clause does not set it
    * @param set    what the clause assigns */
  def in(values: Seq[Expression], set: Seq[Assignment]): Seq[Expression] = {
    val value = AttributeMap(columns.zip(values))
    columns.zip(values).map { case (column, written) =>
      expressions.get(column.exprId).filterNot(_ => isGiven(column, set)).fold(written) { of =>
        val keeps = (column +: of.references.toSeq)
          .forall(read => value.get(read).forall(MergeCondition.sameValue(read, _)))
        if (keeps) written else RowExpression.over(of, value)
      }
    }
  }

  private def isGiven(column: Attribute, set: Seq[Assignment]): Boolean =
    set.exists(assignment =>
      assignment.key.references.contains(column) && !GeneratedValues.isDefault(assignment.value)
    )

  /** Returns the rows of an INSERT with the generated columns that the statement leaves out.
    * @param query one column for each column of the table, as Spark has arranged them */
  def in(query: LogicalPlan): LogicalPlan = query match {
    case Project(values, rows) if values.size == columns.size && expressions.nonEmpty =>
      val value = AttributeMap(columns.zip(values).map {
        case (column, Alias(of, _)) if target.isKey(column) =>
          column -> HudiliteTarget.withoutNullCheck(of)
        case (column, Alias(of, _)) => column -> of
        case (column, of) => column -> of
      })
      Project(
        columns.zip(values).map { case (column, written) =>
          expressions.get(column.exprId).filter(_ => GeneratedValues.isLeftOut(written))
            .fold(written)(of =>
              Alias(RowExpression.over(of, value), column.name)(exprId = written.exprId)
            )
        },
        rows
      )
    case other => other
  }
}

private[analyze] object GeneratedValues {

  /** Returns the conditions that the rows of a table fulfil: text, and expression over columns. */
  def conditions(table: HudiliteTable, columns: Seq[Attribute]): Seq[(String, Expression)] =
    expressions(table, columns).map { case (column, text, value) =>
      GeneratedColumns.condition(column.name, text) -> EqualNullSafe(column, value)
    }

  /** Returns the values of the columns that projections of a source compute, whatever their names are
    * in the projections above. */
  def projected(source: LogicalPlan): AttributeMap[Expression] = {
    val computed = AttributeMap(source.collect { case Project(values, _) =>
      values.collect { case alias: Alias => alias.toAttribute -> alias.child }
    }.flatten)
    def below(value: Expression): Expression = value match {
      case column: Attribute => computed.get(column).fold[Expression](column)(below)
      case other => other
    }
    AttributeMap(computed.toSeq.map { case (column, value) => column -> below(value) })
  }

  /** Returns the columns of a table that a query lacks and Spark has filled in.
    * @param query one column for each column of the table, as Spark has arranged them */
  def leftOut(query: LogicalPlan, columns: Seq[Attribute]): Seq[Attribute] = query match {
    case Project(values, _) if values.size == columns.size =>
      columns.zip(values).collect { case (column, value) if isLeftOut(value) => column }
    case _ => Nil
  }

  /** Returns the generated columns, each with its expression as text and as the value to store. */
  private def expressions(
      table: HudiliteTable,
      columns: Seq[Attribute]
  ): Seq[(Attribute, String, Expression)] = for {
    field <- table.schema
    text <- GeneratedColumns.expressionOf(field)
    column <- columns.find(_.name == field.name)
  } yield (column, text, stored(column, GeneratedColumns.resolved(text, columns)))

  private def stored(column: Attribute, value: Expression): Expression =
    AssignmentUtils.alignInsertAssignments(Seq(column), Seq(Assignment(column, value))).map(_.value)
      .collectFirst {
        case Alias(of, _) => of
        case of => of
      }.getOrElse(value)

  /** Whether Spark has filled in a column that a query lacks: other values refer to the query. */
  private def isLeftOut(value: NamedExpression): Boolean = value match {
    case alias: Alias => alias.explicitMetadata.nonEmpty && alias.child.references.isEmpty
    case _ => false
  }

  /** Whether an assigned value is DEFAULT, which Spark names as the column. */
  private def isDefault(value: Expression): Boolean = value match {
    case Alias(Literal(null, _), _) => true
    case _ => false
  }
}
