package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

import hudilite.spark.plan._

/** MERGE INTO a hudilite table, once it is resolved: ON becomes the key to look for, each WHEN
  * clause the whole row that it writes, and the source is cut down to the columns they read. */
object LowerMerge extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge @ MergeIntoTable(HudiliteTarget(target), _, _, _, _, _, _)
        if merge.resolved && merge.duplicateResolved =>
      lower(target, merge)
  }

  private def lower(target: HudiliteTarget, merge: MergeIntoTable): HudiliteWrite = {
    target.checkWritable(Map.empty)
    if (merge.withSchemaEvolution)
      throw target.unsupported("MERGE WITH SCHEMA EVOLUTION", "Leave WITH SCHEMA EVOLUTION out.")
    MergeExpressions.check(target, merge)
    val on = MergeCondition.of(target, merge.mergeCondition)
    val clauses = new MergeClauses(target, on)
    val spec = clauses.spec(merge)
    HudiliteWrite(target.relation, needed(merge.sourceTable, spec), spec, HudiliteWrite.counts)
  }

  private def needed(source: LogicalPlan, spec: MergeSpec): LogicalPlan =
    Project(source.output.filter(spec.references.contains), source)
}
