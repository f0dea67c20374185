package hudilite.spark.parse

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.execution.ExplainMode

import hudilite.spark.parse.CommandTokens._
import hudilite.spark.plan.SqlTokens

/** EXPLAIN of a statement that Spark's parser does not know.
  * @param text text of the statement
  * @param mode what EXPLAIN shows of it */
final private[parse] case class ExplainedCommand(
    command: TableCommands,
    text: String,
    mode: ExplainMode
)

private[parse] object ExplainedCommand {
  private val modes = Set("LOGICAL", "FORMATTED", "EXTENDED", "CODEGEN", "COST")

  /** Finds the statement after EXPLAIN.
    * @param sqlText text, variables substituted */
  def in(sqlText: String): Option[ExplainedCommand] = SqlTokens.of(sqlText).toList match {
    case Word("EXPLAIN") :: Word(mode) :: rest if modes(mode) =>
      of(sqlText, rest, ExplainMode.fromString(if (mode == "LOGICAL") "extended" else mode))
    case Word("EXPLAIN") :: rest => of(sqlText, rest, ExplainMode.fromString("simple"))
    case _ => None
  }

  private def of(sqlText: String, rest: List[Token], mode: ExplainMode) = {
    val text = written(sqlText, rest)
    TableCommands.in(text).map(ExplainedCommand(_, text, mode))
  }
}
