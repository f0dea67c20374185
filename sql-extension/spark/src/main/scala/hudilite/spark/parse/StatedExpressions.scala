package hudilite.spark.parse

import org.apache.spark.sql.catalyst.expressions.{CheckConstraint, TableConstraint}
import org.apache.spark.sql.catalyst.plans.logical._

import hudilite.spark.plan.StoredExpression

/** CHECK conditions and expressions of generated columns in a CREATE TABLE. This happens once, when
  * the statement is parsed: a plan that copies another table has its texts as they are stored. */
private[parse] object StatedExpressions {

  /** Returns the statement with the texts that the table stores. */
  def stored(plan: LogicalPlan): LogicalPlan = plan match {
    case create: CreateTable =>
      create.copy(columns = create.columns.map(column), tableSpec = spec(create.tableSpec))
    case replace: ReplaceTable =>
      replace.copy(columns = replace.columns.map(column), tableSpec = spec(replace.tableSpec))
    case other => other
  }

  private def column(of: ColumnDefinition): ColumnDefinition =
    of.copy(generationExpression = of.generationExpression.map(StoredExpression.stored))

  private def spec(of: TableSpecBase): TableSpecBase = of match {
    case declared: UnresolvedTableSpec =>
      declared.copy(constraints = declared.constraints.map(constraint))
    case other => other
  }

  private def constraint(of: TableConstraint): TableConstraint = of match {
    case check: CheckConstraint =>
      check.copy(condition = StoredExpression.stored(check.condition))
    case other => other
  }
}
