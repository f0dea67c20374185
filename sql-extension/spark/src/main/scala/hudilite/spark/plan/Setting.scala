package hudilite.spark.plan

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.internal.SQLConf

import hudilite.error.Settings
import hudilite.spark.AnalysisErrors

/** Reads one setting of a session; hudilite-settings.json tells its default and what it may be. */
private[spark] object Setting {

  /** @param least smallest value that makes sense
    * @param fact  what holds where the session says nothing, if that is not the default
    * @param read  takes the trimmed text; what it cannot read is an IllegalArgumentException
    * Errors: HUDILITE_SETTING_INVALID. */
  def number(conf: SQLConf, key: String, least: Long = 0, fact: Option[String] = None)(
      read: String => Long
  ): Long = {
    val text = conf.getConfString(key, fact.getOrElse(Settings.default(key))).trim
    val value =
      try read(text)
      catch { case _: IllegalArgumentException => throw invalid(key, text) }
    if (value < least) throw invalid(key, text) else value
  }

  /** One of the words that it may be, in whatever case it is written.
    * Errors: HUDILITE_SETTING_INVALID. */
  def word(conf: SQLConf, key: String): String = {
    val text = conf.getConfString(key, Settings.default(key)).trim
    Settings.values(key).split(", ").find(_.equalsIgnoreCase(text))
      .getOrElse(throw invalid(key, text))
  }

  private def invalid(key: String, value: String): AnalysisException =
    AnalysisErrors.of(
      "HUDILITE_SETTING_INVALID",
      "key" -> key,
      "value" -> value,
      "known" -> Settings.values(key)
    )
}
