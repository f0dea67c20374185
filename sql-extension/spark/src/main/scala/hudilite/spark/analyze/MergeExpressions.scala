package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  AttributeSet,
  Expression,
  Generator,
  PythonFuncExpression,
  SubqueryExpression,
  WindowExpression
}
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable

/** What no expression of a MERGE may hold. */
private[analyze] object MergeExpressions {

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE. */
  def check(target: HudiliteTarget, merge: MergeIntoTable): Unit = {
    val visible = target.relation.outputSet ++ merge.sourceTable.outputSet
    merge.expressions.foreach(check(target, visible, _))
  }

  private def check(target: HudiliteTarget, visible: AttributeSet, found: Expression): Unit = {
    def refuse(what: String, expression: Expression, fix: String) =
      throw target.unsupported(s"$what in MERGE: ${expression.sql}", fix)
    val inSource = "Put it into the source query."
    found.foreach {
      case e: SubqueryExpression => refuse("A sub-query", e, inSource)
      case e: AggregateExpression => refuse("An aggregate", e, inSource)
      case e: WindowExpression => refuse("A window function", e, inSource)
      case e: Generator => refuse("A generator", e, inSource)
      case e: PythonFuncExpression => refuse("A Python function", e, inSource)
      case e if !e.deterministic && e.children.forall(_.deterministic) =>
        refuse("A value that changes with each call", e, inSource)
      case e if !e.references.subsetOf(visible) =>
        refuse("A meta column", e, "Name only the table's own columns.")
      case _ =>
    }
  }
}
