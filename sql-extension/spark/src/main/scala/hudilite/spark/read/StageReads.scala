package hudilite.spark.read

import org.apache.spark.sql.catalyst.plans.physical.UnspecifiedDistribution
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/** Looks at the reads of each stage, once the exchanges are placed, over a plan or one stage of it. */
private[read] trait StageReads extends ColumnarRule {

  /** What stands for a read by whose groups nobody asks. */
  protected def unasked(read: BatchScanExec): SparkPlan

  /** What stands for each of those that operators of their stage ask how their rows lie.
    * @param all of one stage */
  protected def asked(all: Seq[BatchScanExec]): BatchScanExec => SparkPlan

  override val preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = stage(plan)
  }

  /** Of the operators down to the next exchanges. */
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
