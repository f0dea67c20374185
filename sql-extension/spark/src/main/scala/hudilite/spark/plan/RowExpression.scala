package hudilite.spark.plan

import org.apache.spark.sql.catalyst.analysis.Analyzer
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeMap, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, Project}

/** Expressions of a declaration, such as a CHECK constraint, over the columns of one row. */
private[spark] object RowExpression {

  /** Returns an expression with its names resolved; None if it is not one over a row alone, but an
    * aggregate, a window function or a generator.
    * @param columns to which its names refer
    * Errors: Spark's, such as for a name that is not there. */
  def apply(parsed: Expression, columns: Seq[Attribute], analyzer: Analyzer): Option[Expression] = {
    val analyzed =
      analyzer.execute(Project(Seq(Alias(parsed, "value")()), LocalRelation(columns)))
    analyzer.checkAnalysis(analyzed)
    Some(analyzed).collect { case Project(Seq(Alias(value, _)), _: LocalRelation) => value }
  }

  /** Returns an expression over values in place of columns. */
  def over(expression: Expression, values: AttributeMap[Expression]): Expression =
    expression.transformUp { case column: Attribute => values.getOrElse(column, column) }
}
