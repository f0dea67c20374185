package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.ExtractV2Table

import hudilite.error.HudiliteException
import hudilite.spark.catalog.{HudiliteTable, TablePath}
import hudilite.spark.error.InvalidArgument

/** One call of a table function, with its checked arguments. Its errors are not AnalysisExceptions, to
  * whose messages Spark would add the text of the query.
  * @param name      name of the function
  * @param usage     how to call it, for errors
  * @param arguments as Spark has resolved them */
final case class TableFunctionCall(name: String, usage: String, arguments: Seq[Expression]) {

  /** Fails unless the number of arguments is in a range.
    * Errors: HUDILITE_ARGUMENT_INVALID. */
  def checkCount(least: Int, most: Int): Unit =
    if (arguments.size < least || arguments.size > most)
      throw invalid("count", arguments.size.toString, s"Write $usage.")

  /** Returns the table that the first argument names, by its name in FROM or by its path.
    * Errors: HUDILITE_ARGUMENT_INVALID for another table, Spark's own if it does not exist. */
  def table: HudiliteTable = {
    val named = text(0, "table")
    val read = SparkSession.active.table(TableFunctionCall.inFrom(named)).queryExecution.analyzed
    EliminateSubqueryAliases(read) match {
      case ExtractV2Table(table: HudiliteTable) => table
      case _ =>
        throw invalid("table", named,
          "Write the name of a table that was created with USING hudilite.")
    }
  }

  /** Returns a constant argument as text.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null and for an expression that is not constant. */
  def text(position: Int, argument: String): String = constant(position, argument).toString

  /** Returns the text of an argument that may be left out. */
  def textOrNone(position: Int, argument: String): Option[String] =
    Option.when(arguments.size > position)(text(position, argument))

  /** Returns the value of a constant argument.
    * Errors: those of [[text]]. */
  def constant(position: Int, argument: String): Any = {
    val value = arguments(position)
    val isConstant = value.resolved && value.foldable
    val constant = if (isConstant) Option(value.eval()) else None
    constant.getOrElse(throw invalid(argument, value.sql, s"Write $usage."))
  }

  /** Builds HUDILITE_ARGUMENT_INVALID.
    * @param fix what to write instead */
  def invalid(argument: String, value: String, fix: String): HudiliteException =
    InvalidArgument(name, argument, value, fix)

  /** Builds HUDILITE_UNSUPPORTED_STATEMENT.
    * @param fix what to write instead */
  def refused(fix: String): HudiliteException = HudiliteException(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> s"The table function $name",
    "table" -> text(0, "table"),
    "fix" -> fix
  )
}

object TableFunctionCall {

  /** Returns the name of a table in FROM, for a name or a path. */
  def inFrom(named: String): String =
    if (isPath(named)) TablePath.nameOf(named) else named

  /** Whether an argument is a path, not a name. */
  def isPath(named: String): Boolean = named.contains("/") && !named.contains("`")

  /** Returns a text as a literal of SQL. */
  def literal(text: String): String = Literal(text).sql
}
