package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeIntoTable}
import org.apache.spark.sql.catalyst.rules.Rule

import hudilite.spark.plan.EvolvingMerge

/** Rule that hides MERGE WITH SCHEMA EVOLUTION from Spark's rules in an EvolvingMerge, until
  * [[ResolveEvolvingMerge]] knows the columns of the target. Runs before anything is resolved, on
  * statements that the parser cannot hide: the merge of a DataFrame, and MERGE below WITH. Sessions
  * with Hive's catalog do not run it. */
object HoldEvolvingMerge extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge: MergeIntoTable if !merge.childrenResolved => EvolvingMerge.hold(merge)
  }
}
