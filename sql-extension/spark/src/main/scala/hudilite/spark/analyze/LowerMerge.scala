package hudilite.spark.analyze

import hudilite.spark.HudiliteConf
import hudilite.spark.plan._
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/** MERGE INTO a hudilite table, once it is resolved: ON becomes the key to look for, each WHEN
  * clause the whole row that it writes, and the source is cut down to the columns they read. */
object LowerMerge extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge @ MergeIntoTable(HudiliteTarget(target), _, _, _, _, _, _)
        if merge.resolved && merge.duplicateResolved =>
      lower(target, merge)
  }

  private def lower(target: HudiliteTarget, merge: MergeIntoTable): HudiliteWrite = {
    target.checkWritable()
    HudiliteConf.checkAgainst(target.table.config, conf)
    if (merge.withSchemaEvolution)
      throw target.unsupported("MERGE WITH SCHEMA EVOLUTION", "Leave WITH SCHEMA EVOLUTION out")
    MergeExpressions.check(target, merge)
    val on = MergeCondition.of(target, merge.mergeCondition)
    val clauses = new MergeClauses(target, on)
    val spec = clauses.spec(merge)
    HudiliteWrite(target.relation, needed(merge.sourceTable, spec), spec, HudiliteWrite.counts)
  }

  private def needed(source: LogicalPlan, spec: MergeSpec): LogicalPlan =
    Project(source.output.filter(spec.references.contains), source)
}

/** What no expression of a MERGE may hold. */
private[analyze] object MergeExpressions {
  import org.apache.spark.sql.catalyst.expressions.{
    Generator,
    SubqueryExpression,
    WindowExpression
  }
  import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE. */
  def check(target: HudiliteTarget, merge: MergeIntoTable): Unit = {
    val visible = target.relation.outputSet ++ merge.sourceTable.outputSet
    merge.expressions.foreach(check(target, visible, _))
  }

  private def check(target: HudiliteTarget, visible: AttributeSet, found: Expression): Unit = {
    def refuse(what: String, expression: Expression, fix: String) =
      throw target.unsupported(s"$what in MERGE: ${expression.sql}", fix)
    val inSource = "Put it into the source query"
    found.foreach {
      case e if SubqueryExpression.hasSubquery(e) && e.children.isEmpty =>
        refuse("A sub-query", e, inSource)
      case e: SubqueryExpression => refuse("A sub-query", e, inSource)
      case e: AggregateExpression => refuse("An aggregate", e, inSource)
      case e: WindowExpression => refuse("A window function", e, inSource)
      case e: Generator => refuse("A generator", e, inSource)
      case e if e.children.isEmpty && !e.deterministic =>
        refuse("A value that changes with each call", e, inSource)
      case e if !e.references.subsetOf(visible) =>
        refuse("A meta column", e, "Name only the table's own columns")
      case _ =>
    }
  }
}
