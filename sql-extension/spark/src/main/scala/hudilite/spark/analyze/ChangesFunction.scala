package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.error.HudiliteException
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.read.ChangedRows
import hudilite.view.ChangedFiles

/** Table function `hudilite_changes('table', from [, to])`: returns the rows that the commits after
  * `from`, up to and including `to`, have changed. */
object ChangesFunction {
  private val name = "hudilite_changes"
  private val earliest = "earliest"

  /** Arguments of SparkSessionExtensions.injectTableFunction. */
  val description: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan) = (
    FunctionIdentifier(name),
    new ExpressionInfo(getClass.getName.stripSuffix("$"), name),
    apply
  )

  /** Errors: HUDILITE_ARGUMENT_INVALID, those of ChangedFiles.between; Spark's own if the table
    * does not exist. */
  private def apply(arguments: Seq[Expression]): LogicalPlan = arguments match {
    case Seq(table, from) => of(text("table", table), text("from", from), None)
    case Seq(table, from, to) =>
      of(text("table", table), text("from", from), Some(text("to", to)))
    case other => throw invalid("count", other.size.toString, s"Write $usage.")
  }

  private def of(named: String, from: String, to: Option[String]): LogicalPlan = {
    val session = SparkSession.active
    val table = tableOf(session, named)
    val begin = Option.when(!from.equalsIgnoreCase(earliest))(from)
    val changes = ChangedFiles.between(table.timeline, table.config, begin, to)
    val last = changes.last.getOrElse(table.snapshot)
    ChangedRows.plan(session, table.name, table.schemaAt(last), last, changes.steps)
  }

  private def tableOf(session: SparkSession, named: String): HudiliteTable =
    session.table(named).queryExecution.analyzed
      .collectFirst { case relation: DataSourceV2Relation => relation.table }
      .collect { case table: HudiliteTable => table }
      .getOrElse(throw invalid("table", named,
        "Write the name of a table that was created with USING hudilite."))

  private def text(argument: String, value: Expression): String = {
    val isConstant = value.resolved && value.foldable
    val constant = if (isConstant) Option(value.eval()) else None
    constant.fold(throw invalid(argument, value.sql, s"Write $usage."))(_.toString)
  }

  private val usage =
    "hudilite_changes('table', 'instant' or 'earliest' [, 'instant']) with constant strings as " +
      "arguments"

  /** Not an AnalysisException: Spark would add the text of the query to its message. */
  private def invalid(argument: String, value: String, fix: String) = HudiliteException(
    "HUDILITE_ARGUMENT_INVALID",
    "argument" -> argument,
    "procedure" -> name,
    "value" -> value,
    "fix" -> fix
  )
}
