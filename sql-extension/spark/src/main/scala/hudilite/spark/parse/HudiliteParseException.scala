package hudilite.spark.parse

import hudilite.error.Conditions
import org.antlr.v4.runtime.Token
import org.apache.spark.sql.AnalysisException

/** A fault in the text of a statement, with the place where it was found.
  *
  * Spark's own ParseException knows only Spark's conditions. The query context stays empty: with
  * one, PySpark turns a condition that Spark does not know into an internal error. */
final class HudiliteParseException(
    val condition: String,
    val parameters: Map[String, String],
    at: Token
) extends AnalysisException(
      s"[$condition] ${Conditions.message(condition, parameters)} " +
        s"(line ${at.getLine}, pos ${at.getCharPositionInLine}) " +
        s"SQLSTATE: ${Conditions.sqlState(condition)}",
      Some(at.getLine),
      Some(at.getCharPositionInLine),
      None,
      Some(condition),
      parameters,
      Array.empty,
      Some(Conditions.sqlState(condition)),
      Some(Conditions.template(condition))
    ) {
  override def getMessage: String = message
}
