package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{
  BinaryCommand,
  CTEInChildren,
  CTERelationDef,
  LogicalPlan,
  WithCTE
}

/** Placeholder node of an INSERT or of the write of a DataFrame, until its target is known. The rows
  * may have columns that the target does not have yet, and Spark's rules would reject them.
  *
  * @param write       the statement; it is not a child, so that no rule changes it
  * @param addsColumns whether the statement itself says WITH SCHEMA EVOLUTION */
case class HeldWrite(
    target: LogicalPlan,
    query: LogicalPlan,
    write: LogicalPlan,
    addsColumns: Boolean
) extends BinaryCommand
    with CTEInChildren {

  override def left: LogicalPlan = target
  override def right: LogicalPlan = query
  override def output: Seq[Attribute] = Nil
  override lazy val resolved: Boolean = false

  override def withCTEDefs(definitions: Seq[CTERelationDef]): LogicalPlan =
    copy(query = WithCTE(query, definitions))

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): HeldWrite = copy(target = newLeft, query = newRight)
}
