package hudilite.spark.read

import org.apache.spark.sql.catalyst.plans.physical.UnspecifiedDistribution
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.joins.StoragePartitionJoinParams
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/** Cuts a read by size where no operator of its stage asks how its rows lie: a task for each bucket
  * would be a loss. Runs once the exchanges are placed, over a plan or one stage of it.
  */
object UngroupScans extends ColumnarRule {

  override val preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = settled(plan, isAsked = false)
  }

  private def settled(plan: SparkPlan, isAsked: Boolean): SparkPlan = plan match {
    case read: BatchScanExec if !isAsked => ungrouped(read)
    case exchange: Exchange => exchange.mapChildren(settled(_, isAsked = false))
    case node =>
      val children = node.children.zip(node.requiredChildDistribution).map { case (child, asked) =>
        settled(child, isAsked || asked != UnspecifiedDistribution)
      }
      if (children.zip(node.children).forall { case (now, was) => now eq was }) node
      else node.withNewChildren(children)
  }

  private def ungrouped(read: BatchScanExec): SparkPlan = read.scan match {
    case scan: HudiliteScan =>
      scan.withoutGroups.fold[SparkPlan](read) { cut =>
        val plain = read.copy(scan = cut, spjParams = StoragePartitionJoinParams())
        plain.copyTagsFrom(read)
        plain
      }
    case _ => read
  }
}
