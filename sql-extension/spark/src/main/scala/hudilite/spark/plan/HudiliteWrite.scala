package hudilite.spark.plan

import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  AttributeSet
}
import org.apache.spark.sql.catalyst.plans.logical.{CTEInChildren, LogicalPlan, UnaryCommand}
import org.apache.spark.sql.types.LongType

/** Logical node of every write to a hudilite table; INSERT, UPDATE, DELETE and MERGE become this
  * node in analysis.
  *
  * The target is an argument, not a child, so that no rule plans a scan, join or sort of it. Its
  * columns count as produced by this node, because the clauses in `spec` read them.
  * @param table  resolved relation over a HudiliteTable, with the table's columns only
  * @param query  the source, projected to the columns that `spec` reads
  * @param spec   what to do with matched and unmatched rows
  * @param output the four counts for MERGE, the first one for UPDATE and DELETE, empty for
  *               INSERT */
case class HudiliteWrite(
    table: NamedRelation,
    query: LogicalPlan,
    spec: MergeSpec,
    override val output: Seq[Attribute]
) extends UnaryCommand
    with CTEInChildren {

  override def child: LogicalPlan = query

  override def producedAttributes: AttributeSet = table.outputSet ++ AttributeSet(output)

  override lazy val resolved: Boolean = table.resolved && query.resolved && spec.resolved

  override protected def withNewChildInternal(newChild: LogicalPlan): HudiliteWrite =
    copy(query = newChild)

  override protected def stringArgs: Iterator[Any] = Iterator(table.name, spec)
}

object HudiliteWrite {

  /** Columns of the row that MERGE returns, NULL where a number is not known; each call creates new
    * attributes. */
  def counts: Seq[Attribute] = Seq("affected", "updated", "deleted", "inserted").map(kind =>
    AttributeReference(s"num_${kind}_rows", LongType)()
  )

  /** Column of the row that UPDATE and DELETE return. */
  def affected: Seq[Attribute] = counts.take(1)
}
