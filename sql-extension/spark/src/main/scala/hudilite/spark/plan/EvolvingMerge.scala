package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{BinaryCommand, LogicalPlan, MergeIntoTable}

/** Placeholder node of MERGE WITH SCHEMA EVOLUTION until its target and source are resolved. The
  * statement may assign columns that the target does not have yet, and Spark's rules would try to
  * resolve them.
  *
  * @param merge the statement; it is not a child, so that no rule changes it */
case class EvolvingMerge(target: LogicalPlan, source: LogicalPlan, merge: MergeIntoTable)
    extends BinaryCommand {

  override def left: LogicalPlan = target
  override def right: LogicalPlan = source
  override def output: Seq[Attribute] = Nil
  override lazy val resolved: Boolean = false

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): EvolvingMerge = copy(target = newLeft, source = newRight)
}

object EvolvingMerge {

  /** @return the placeholder of a MERGE WITH SCHEMA EVOLUTION, any other MERGE unchanged */
  def hold(merge: MergeIntoTable): LogicalPlan =
    if (merge.withSchemaEvolution) EvolvingMerge(merge.targetTable, merge.sourceTable, merge)
    else merge
}
