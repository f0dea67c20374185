package hudilite.spark.error

import org.apache.spark.sql.AnalysisException

import hudilite.error.{Conditions, HudiliteException}

/** Builder of Spark's AnalysisException with a condition of hudilite-conditions.json, for errors
  * that are found before a job starts. The query context stays empty: if it is set, PySpark turns a
  * condition that Spark does not know into INTERNAL_ERROR. */
object AnalysisErrors {

  /** @param condition  a name in [[hudilite.error.Conditions.all]]
    * @param parameters a value for each `<name>` in the condition's text */
  def of(condition: String, parameters: (String, String)*): AnalysisException =
    build(condition, parameters.toMap, None)

  /** Converts an error to an analysis error, with the original as its cause. */
  def of(e: HudiliteException): AnalysisException = build(e.condition, e.parameters, Some(e))

  /** Builds an error with one of Spark's own conditions.
    * @param condition a condition that Spark knows */
  def spark(condition: String, parameters: (String, String)*): AnalysisException =
    new AnalysisException(errorClass = condition, messageParameters = parameters.toMap)

  private def build(
      condition: String,
      parameters: Map[String, String],
      cause: Option[Throwable]
  ): AnalysisException = new AnalysisException(
    errorClass = condition,
    sqlState = Conditions.sqlState(condition),
    messageTemplate = Conditions.template(condition),
    messageParameters = parameters,
    cause = cause,
    message = Some(HudiliteException.text(condition, parameters))
  )
}
