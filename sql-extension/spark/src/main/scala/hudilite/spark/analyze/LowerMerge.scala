package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/** Rule that lowers a resolved MERGE INTO a hudilite table to a HudiliteWrite: ON becomes the key
  * to look up, each WHEN clause becomes the whole row that it writes, and the source is projected
  * to the columns that these use. */
object LowerMerge extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge @ MergeIntoTable(HudiliteTarget(target), _, _, _, _, _, _)
        if merge.resolved && merge.duplicateResolved && !target.table.isOpen =>
      target.checkWritable(Map.empty)
      new MergeRoad(target, merge).write
    case merge @ MergeIntoTable(HudiliteTarget(target), source, _, _, _, _, _)
        if source.resolved && !merge.resolved && !target.table.isOpen =>
      StructFields.named(merge)
  }
}
