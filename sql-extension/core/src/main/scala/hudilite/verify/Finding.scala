package hudilite.verify

import java.io.IOException

import hudilite.error.{Conditions, HudiliteException}

/** One thing that a check of a table has found.
  * @param severity  one of [[Finding.severities]]
  * @param code      what it is, stable words in upper case
  * @param path      file or folder, relative to the table; "" for the table
  * @param detail    what was found and what it should be, in words
  * @param sampleKey one record key that it is about, where it is about keys */
final class Finding(
    val severity: String,
    val code: String,
    val path: String,
    val detail: String,
    val sampleKey: Option[String]
) extends Serializable

object Finding {

  /** The worst first. ERROR: rows are wrong, lost or unreadable, or will be. WARNING: rows are right;
    * something is left over, missing or was not looked at. INFO: somebody writes, or has died while
    * writing. */
  val severities: Seq[String] = Vector("ERROR", "WARNING", "INFO")

  /** The worst first, then by place. */
  val order: Ordering[Finding] = Ordering.by((f: Finding) =>
    (severities.indexOf(f.severity), f.path, f.code, f.detail)
  )

  def error(code: String, path: String, detail: String, key: Option[String] = None): Finding =
    new Finding(severities(0), code, path, detail, key)

  def warning(code: String, path: String, detail: String): Finding =
    new Finding(severities(1), code, path, detail, None)

  def info(code: String, path: String, detail: String): Finding =
    new Finding(severities(2), code, path, detail, None)

  /** Reads what may be damaged.
    * @param told makes a finding of the reason why it cannot be read; what hudilite can read and
    *             does not support becomes one of the code TABLE_UNSUPPORTED
    * @return what was read, or the finding */
  def attempt[T](told: String => Finding)(read: => T): Either[Finding, T] =
    try Right(read)
    catch {
      case e: HudiliteException if e.condition == "HUDILITE_UNSUPPORTED_TABLE" =>
        Left(error("TABLE_UNSUPPORTED", told("").path, reason(e)))
      case e: HudiliteException => Left(told(reason(e)))
      case e: IOException => Left(told(s"it cannot be read: ${e.getMessage}"))
    }

  private def reason(e: HudiliteException): String =
    e.parameters.getOrElse("reason", Conditions.message(e.condition, e.parameters))
}
