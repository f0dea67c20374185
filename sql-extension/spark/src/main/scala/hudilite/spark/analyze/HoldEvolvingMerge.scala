package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeIntoTable}
import org.apache.spark.sql.catalyst.rules.Rule

import hudilite.spark.plan.EvolvingMerge

/** Keeps MERGE WITH SCHEMA EVOLUTION from Spark's rules until [[ResolveEvolvingMerge]] knows what the
  * target will be. Runs before anything is resolved, on what the parser could not hold: what a
  * DataFrame merges, and what stands below WITH. Sessions with Hive's catalog do not run it. */
object HoldEvolvingMerge extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge: MergeIntoTable if !merge.childrenResolved => EvolvingMerge.hold(merge)
  }
}
