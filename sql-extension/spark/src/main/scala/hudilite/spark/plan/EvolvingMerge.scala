package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{BinaryCommand, LogicalPlan, MergeIntoTable}

/** MERGE WITH SCHEMA EVOLUTION until its tables are resolved: what it assigns may be columns that
  * the target does not have yet, and Spark would look for them.
  *
  * @param merge the statement; it is no child, so that no rule looks into it */
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

  /** @return the statement kept from Spark's rules, if it is to evolve the schema */
  def hold(merge: MergeIntoTable): LogicalPlan =
    if (merge.withSchemaEvolution) EvolvingMerge(merge.targetTable, merge.sourceTable, merge)
    else merge
}
