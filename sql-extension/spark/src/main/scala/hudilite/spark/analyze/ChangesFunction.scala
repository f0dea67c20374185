package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession

import hudilite.spark.catalog.{HeldBack, HudiliteTable}
import hudilite.spark.read.ChangedRows
import hudilite.view.ChangesBetween

/** Table function `hudilite_changes('table', from [, to])`: returns the rows that the commits after
  * `from`, up to and including `to`, have changed. */
object ChangesFunction {
  private val name = "hudilite_changes"
  private val earliest = "earliest"

  /** Arguments of SparkSessionExtensions.injectTableFunction. */
  val description: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan) = (
    FunctionIdentifier(name),
    new ExpressionInfo(getClass.getName.stripSuffix("$"), name),
    arguments => of(TableFunctionCall(name, usage, arguments))
  )

  private def of(call: TableFunctionCall): LogicalPlan = {
    call.checkCount(2, 3)
    val from = call.text(1, "from")
    val to = call.textOrNone(2, "to")
    plan(call.table, Option.when(!from.equalsIgnoreCase(earliest))(from), to)
  }

  /** Returns the plan of the changed rows, analyzed.
    * @param from instant after whose commit the changes begin; None: the earliest
    * @param to   instant of the last commit; None: the latest settled one
    * @param isStrict see [[ChangesBetween.of]]
    * Errors: those of [[ChangesBetween.of]]. */
  def plan(
      table: HudiliteTable,
      from: Option[String],
      to: Option[String],
      isStrict: Boolean = false
  ): LogicalPlan = {
    val changes = ChangesBetween.of(table.timeline, table.config, from, to, isStrict)
    val session = SparkSession.active
    changes.heldBack.foreach(HeldBack.warn(session, table.name, "A read of the changes of", _))
    val last = changes.last.getOrElse(table.snapshot)
    ChangedRows.plan(session, table.name, table.schemaAt(last), last, changes)
  }

  private val usage =
    "hudilite_changes('table', 'instant' or 'earliest' [, 'instant']) with constant strings as " +
      "arguments"
}
