package hudilite.spark.parse

import org.antlr.v4.runtime.Token
import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

import hudilite.error.{Conditions, HudiliteException}

/** Error in the text of a statement, with its position.
  *
  * It has a command, because the parser of another extension (Delta's) passes on a ParseException
  * with a command unchanged. ParseException knows only Spark's conditions, so this class overrides
  * each accessor. The query context stays empty: if it is set, PySpark turns a condition that Spark
  * does not know into an internal error. */
final class HudiliteParseException private (
    condition: String,
    override val messageParameters: Map[String, String],
    origin: Origin
) extends ParseException(
      Some(""),
      origin,
      "INTERNAL_ERROR",
      Map("message" -> condition),
      Array.empty[QueryContext]
    ) {

  def this(condition: String, parameters: Map[String, String], at: Token) = this(
    condition,
    parameters,
    Origin(Some(at.getLine), Some(at.getCharPositionInLine))
  )

  /** Converts a hudilite error that was found in the parsed plan. */
  def this(fault: AnalysisException) =
    this(fault.getCondition, fault.messageParameters, Origin(fault.line, fault.startPosition))

  override def getMessage: String = {
    val place = for (line <- origin.line; column <- origin.startPosition)
      yield s"; line $line pos $column"
    HudiliteException.text(condition, messageParameters) + place.getOrElse("")
  }

  override def getCondition: String = condition
  override def getErrorClass: String = condition
  override def getSqlState: String = Conditions.sqlState(condition)
  override def getDefaultMessageTemplate: String = Conditions.template(condition)
  override def isInternalError: Boolean = false
  override def withCommand(text: String): ParseException = this
}
