package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

import hudilite.spark.plan.HeldWrite

/** Rule that hides writes of DataFrames from Spark's rules in a HeldWrite, until [[AddNewColumns]] has
  * compared their columns with those of the target. Runs before anything is resolved, on statements
  * that the parser cannot hide. Sessions with Hive's catalog do not run it. */
object HoldWrites extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case write @ (_: AppendData | _: OverwriteByExpression | _: OverwritePartitionsDynamic)
        if !write.resolved =>
      write match {
        case of: V2WriteCommand if isHeld(of.table) =>
          HeldWrite(of.table, of.query, of, addsColumns = false)
        case other => other
      }
  }

  private def isHeld(table: LogicalPlan): Boolean = table match {
    case _: UnresolvedRelation => true
    case other => HudiliteTarget.unapply(other).nonEmpty
  }
}
