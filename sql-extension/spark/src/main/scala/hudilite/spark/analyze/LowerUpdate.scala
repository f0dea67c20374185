package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UpdateAction, UpdateTable}
import org.apache.spark.sql.catalyst.rules.Rule

/** Rule that lowers a resolved UPDATE of a hudilite table to a HudiliteWrite. */
object LowerUpdate extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case update @ UpdateTable(HudiliteTarget(target), assignments, condition)
        if update.resolved =>
      new RowChange(target, UpdateAction(condition, assignments), "UPSERT").write
  }
}
