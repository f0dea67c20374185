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
  protected def unasked(read: BatchScanExec): SparkPlan

  /** Returns a function that replaces a read whose partitioning an operator of its stage requires.
    * @param all all such reads of one stage */
  protected def asked(all: Seq[BatchScanExec]): BatchScanExec => SparkPlan

  override val preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = stage(plan)
  }

  /** Replaces the reads of one stage, which ends at the next exchanges, and of all stages below. */
  private def stage(plan: SparkPlan): SparkPlan = {
    val change = asked(reads(plan, isAsked = false).collect { case (read, true) => read })
    changed(plan, isAsked = false) {
      case (read, false) => unasked(read)
      case (read, true) => change(read)
    }
  }

  private def changed(plan: SparkPlan, isAsked: Boolean)(
      change: (BatchScanExec, Boolean) => SparkPlan
  ): SparkPlan = plan match {
    case read: BatchScanExec => change(read, isAsked)
    case exchange: Exchange => exchange.mapChildren(stage)
    case node =>
      val children = asks(node, isAsked).map { case (child, asked) =>
        changed(child, asked)(change)
      }
      if (children.zip(node.children).forall { case (now, was) => now eq was }) node
      else node.withNewChildren(children)
  }

  private def reads(plan: SparkPlan, isAsked: Boolean): Seq[(BatchScanExec, Boolean)] = plan match {
    case read: BatchScanExec => Seq(read -> isAsked)
    case _: Exchange => Nil
    case node => asks(node, isAsked).flatMap { case (child, asked) => reads(child, asked) }
  }

  private def asks(node: SparkPlan, isAsked: Boolean): Seq[(SparkPlan, Boolean)] =
    node.children.zip(node.requiredChildDistribution.map(isAsked || _ != UnspecifiedDistribution))

  protected def scanOf(read: BatchScanExec): Option[HudiliteScan] =
    Option(read.scan).collect { case scan: HudiliteScan => scan }
}
