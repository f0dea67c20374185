package hudilite.spark.plan

import java.util.Locale

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.AnalysisErrors

/** Reads one setting of a session. */
private[plan] object Setting {

  /** @param least smallest value that makes sense
    * @param read  takes the trimmed text; what it cannot read is an IllegalArgumentException
    * Errors: HUDILITE_SETTING_INVALID. */
  def number(conf: SQLConf, key: String, default: String, known: String, least: Long = 0)(
      read: String => Long
  ): Long = {
    val text = conf.getConfString(key, default).trim
    val value =
      try read(text)
      catch { case _: IllegalArgumentException => throw invalid(key, text, known) }
    if (value < least) throw invalid(key, text, known) else value
  }

  /** Errors: HUDILITE_SETTING_INVALID. */
  def truth(conf: SQLConf, key: String, default: Boolean): Boolean =
    conf.getConfString(key, default.toString).trim.toLowerCase(Locale.ROOT) match {
      case "true" => true
      case "false" => false
      case other => throw invalid(key, other, "true, false")
    }

  /** @param known what may be written */
  def invalid(key: String, value: String, known: String): AnalysisException =
    AnalysisErrors.of(
      "HUDILITE_SETTING_INVALID",
      "key" -> key,
      "value" -> value,
      "known" -> known
    )
}
