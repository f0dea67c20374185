package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.plans.logical.{DeleteAction, DeleteFromTable, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/** Rule that lowers a resolved DELETE FROM a hudilite table to a HudiliteWrite. */
object LowerDelete extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case delete @ DeleteFromTable(HudiliteTarget(target), condition) if delete.resolved =>
      val where = Option.when(condition != TrueLiteral)(condition)
      new RowChange(target, DeleteAction(where), "DELETE").write
  }
}
