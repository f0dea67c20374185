package hudilite.spark.read

import org.apache.spark.sql.catalyst.plans.physical.UnspecifiedDistribution
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/** Physical plan rule that may replace the reads of each stage, after Spark has added the
  * exchanges. It runs on the driver, on a whole plan or on one stage of it. */
private[read] trait StageReads extends ColumnarRule {

  /** Returns the replacement of a read whose partitioning no operator of its stage requires. */
  protected def replaceUngrouped(read: BatchScanExec): SparkPlan

  /** Returns a function that replaces a read whose partitioning an operator of its stage requires.
    * @param all all such reads of one stage */
  protected def replaceGrouped(all: Seq[BatchScanExec]): BatchScanExec => SparkPlan

  override val preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = stage(plan)
  }

  /** Replaces the reads of one stage, which ends at the next exchanges, and of all stages below. */
  private def stage(plan: SparkPlan): SparkPlan = {
    val change = replaceGrouped(reads(plan, isRequired = false).collect { case (read, true) =>
      read
    })
    changed(plan, isRequired = false) {
      case (read, false) => replaceUngrouped(read)
      case (read, true) => change(read)
    }
  }

  private def changed(plan: SparkPlan, isRequired: Boolean)(
      change: (BatchScanExec, Boolean) => SparkPlan
  ): SparkPlan = plan match {
    case read: BatchScanExec => change(read, isRequired)
    case exchange: Exchange => exchange.mapChildren(stage)
    case node =>
      val children = requirements(node, isRequired).map { case (child, required) =>
        changed(child, required)(change)
      }
      if (children.zip(node.children).forall { case (now, was) => now eq was }) node
      else node.withNewChildren(children)
  }

  private def reads(plan: SparkPlan, isRequired: Boolean): Seq[(BatchScanExec, Boolean)] =
    plan match {
      case read: BatchScanExec => Seq(read -> isRequired)
      case _: Exchange => Nil
      case node => requirements(node, isRequired).flatMap { case (child, required) =>
          reads(child, required)
        }
    }

  private def requirements(node: SparkPlan, isRequired: Boolean): Seq[(SparkPlan, Boolean)] =
    node.children.zip(
      node.requiredChildDistribution.map(isRequired || _ != UnspecifiedDistribution)
    )

  protected def scanOf(read: BatchScanExec): Option[HudiliteScan] =
    Option(read.scan).collect { case scan: HudiliteScan => scan }
}
