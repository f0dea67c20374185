package hudilite.spark.parse

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.AnalysisException

import hudilite.error.{Conditions, HudiliteException}

/** A fault in the text of a statement, with the place where it was found.
  *
  * Spark's own ParseException knows only Spark's conditions. The query context stays empty: with
  * one, PySpark turns a condition that Spark does not know into an internal error. */
final class HudiliteParseException(condition: String, parameters: Map[String, String], at: Token)
    extends AnalysisException(
      HudiliteException.text(condition, parameters),
      Some(at.getLine),
      Some(at.getCharPositionInLine),
      None,
      Some(condition),
      parameters,
      Array.empty,
      Some(Conditions.sqlState(condition)),
      Some(Conditions.template(condition))
    )
