package hudilite.spark.exec

import org.apache.spark.sql.catalyst.plans.logical.{ExecutableDuringAnalysis, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.ExplainCommand

import hudilite.spark.plan.Setting

/** Analyzer rule that lets EXPLAIN of a write show a preview, too, if the session asks for it.
  *
  * The texts of the operators never contain one: Spark asks for them at each execution, for its
  * listeners, and a preview runs the tasks of the statement.
  * Source: issue 33. */
object PreviewInExplain extends Rule[LogicalPlan] {
  val setting = "spark.hudilite.explain.preview"

  /** Errors: HUDILITE_SETTING_INVALID. */
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case explain: ExplainCommand
        if Setting.word(conf, setting) == "true" && !runsInAnalysis(explain.logicalPlan) =>
      ExplainWithPreview(explain)
    case other => other
  }

  /** Whether the analysis of a statement executes it, as that of CALL does outside EXPLAIN. */
  private def runsInAnalysis(statement: LogicalPlan): Boolean =
    statement.exists(_.isInstanceOf[ExecutableDuringAnalysis])
}
