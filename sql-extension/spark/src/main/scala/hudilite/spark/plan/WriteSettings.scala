package hudilite.spark.plan

import java.util.concurrent.TimeUnit

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf

/** What a session says of its commits.
  *
  * @param maxRetries     how often a write that another commit has overtaken starts anew, 0 or more
  * @param rollbackMillis age from which a pending write of somebody counts as dead
  * @param copies         whether what a write does not change may be copied as bytes */
final case class WriteSettings(maxRetries: Int, rollbackMillis: Long, copies: Boolean)

object WriteSettings {

  val MaxRetries = "spark.hudilite.write.maxRetries"
  val RollbackAfter = "spark.hudilite.write.rollbackAfter"
  val Copy = "spark.hudilite.write.copy"

  /** Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf): WriteSettings = WriteSettings(
    Setting.number(conf, MaxRetries)(_.toInt.toLong).toInt,
    Setting.number(conf, RollbackAfter)(JavaUtils.timeStringAs(_, TimeUnit.MILLISECONDS)),
    Setting.word(conf, Copy).toBoolean
  )
}
