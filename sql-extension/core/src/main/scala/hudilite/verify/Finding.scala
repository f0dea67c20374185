package hudilite.verify

import java.io.IOException

import hudilite.error.{Conditions, HudiliteException}

/** One result of a check of a table.
  * @param severity  one of [[Finding.severities]]
  * @param code      kind of the finding, stable words in upper case
  * @param path      file or folder, relative to the table; "" for the table
  * @param detail    what was found and what was expected, in words
  * @param sampleKey one of the record keys concerned, if the finding is about keys */
final class Finding(
    val severity: String,
    val code: String,
    val path: String,
    val detail: String,
    val sampleKey: Option[String]
) extends Serializable

object Finding {

  /** Severities, the worst first. ERROR: rows are wrong, lost or unreadable, or will be. WARNING:
    * rows are right, but something is left over, missing or was not checked. INFO: a write is
    * running, or its writer died. */
  val severities: Seq[String] = Vector("ERROR", "WARNING", "INFO")

  /** Order by severity, the worst first, then by path. */
  val order: Ordering[Finding] = Ordering.by((f: Finding) =>
    (severities.indexOf(f.severity), f.path, f.code, f.detail)
  )

  def error(code: String, path: String, detail: String, key: Option[String] = None): Finding =
    new Finding(severities(0), code, path, detail, key)

  def warning(code: String, path: String, detail: String): Finding =
    new Finding(severities(1), code, path, detail, None)

  def info(code: String, path: String, detail: String): Finding =
    new Finding(severities(2), code, path, detail, None)

  /** Runs a read that may fail because of damage.
    * @param finding creates a finding from the reason of the failure. A table that hudilite can read
    *             but does not support becomes a finding with the code TABLE_UNSUPPORTED.
    * @return the result, or the finding */
  def attempt[T](finding: String => Finding)(read: => T): Either[Finding, T] =
    try Right(read)
    catch {
      case e: HudiliteException if e.condition == "HUDILITE_UNSUPPORTED_TABLE" =>
        Left(error("TABLE_UNSUPPORTED", finding("").path, reason(e)))
      case e: HudiliteException => Left(finding(reason(e)))
      case e: IOException => Left(finding(s"it cannot be read: ${e.getMessage}"))
    }

  private def reason(e: HudiliteException): String =
    e.parameters.getOrElse("reason", Conditions.message(e.condition, e.parameters))
}
