package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

import hudilite.spark.locate.{Tag, TaggedRow}

/** Logical node of TagRowsExec.
  *
  * The operators below CommitWriteExec have nodes of their own because adaptive execution plans a
  * subtree again from its logical node: from HudiliteWrite it would plan a second commit.
  */
case class TagRows(statement: WriteStatement, tag: Tag, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = TaggedRow.columns ++ child.output
  override def producedAttributes: AttributeSet = AttributeSet(TaggedRow.columns)
  override def maxRows: Option[Long] = child.maxRows

  override protected def withNewChildInternal(newChild: LogicalPlan): TagRows =
    copy(child = newChild)
}

/** Logical node of LocateRowsExec. */
case class LocateRows(statement: WriteStatement, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override def maxRows: Option[Long] = child.maxRows

  override protected def withNewChildInternal(newChild: LogicalPlan): LocateRows =
    copy(child = newChild)
}

/** Logical node of MergeFileGroupsExec. */
case class MergeFileGroups(
    statement: WriteStatement,
    output: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): MergeFileGroups =
    copy(child = newChild)
}
