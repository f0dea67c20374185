package hudilite.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/** The mark WITH SCHEMA EVOLUTION of an INSERT: a tag, as the nodes and the grammar of Spark 4.1
  * have it for MERGE only. */
private[spark] object EvolvingWrites {
  private val asks = TreeNodeTag[Unit]("hudilite.evolves")

  /** Whether Spark parses the clause. */
  val isInGrammar: Boolean = false

  def apply(write: LogicalPlan): Boolean = write.getTagValue(asks).nonEmpty

  /** Returns the write with the mark. */
  def marked(write: LogicalPlan): LogicalPlan = {
    write.setTagValue(asks, ())
    write
  }
}
