package hudilite.spark.plan

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.internal.SQLConf

import hudilite.error.Settings
import hudilite.spark.error.AnalysisErrors

/** Reader of one session setting of hudilite, for which hudilite-settings.json contains the default
  * and the allowed values; and use of settings of Spark. */
private[spark] object Setting {

  /** Reads a number.
    * @param least smallest valid value
    * @param fact  value to use instead of the default if the session does not set the key
    * @param read  parses the trimmed text; throws IllegalArgumentException if it cannot
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

  /** Reads a setting with a fixed set of values, and returns the one that is set; case is ignored.
    * Errors: HUDILITE_SETTING_INVALID. */
  def word(conf: SQLConf, key: String): String = {
    val text = conf.getConfString(key, Settings.default(key)).trim
    Settings.values(key).split(", ").find(_.equalsIgnoreCase(text))
      .getOrElse(throw invalid(key, text))
  }

  /** Runs code of Spark with a value of one of its own settings. */
  def within[A](setting: String, value: Boolean)(run: => A): A = {
    val other = SQLConf.get.clone()
    other.setConfString(setting, value.toString)
    SQLConf.withExistingConf(other)(run)
  }

  private def invalid(key: String, value: String): AnalysisException =
    AnalysisErrors.of(
      "HUDILITE_SETTING_INVALID",
      "key" -> key,
      "value" -> value,
      "known" -> Settings.values(key)
    )
}
