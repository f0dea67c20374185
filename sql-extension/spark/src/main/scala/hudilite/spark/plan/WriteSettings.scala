package hudilite.spark.plan

import java.util.concurrent.TimeUnit

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf

/** Session settings of a write.
  *
  * @param maxRetries     most repetitions after a conflict with another commit, 0 or more
  * @param rollbackMillis age in milliseconds from which any writer's pending write counts as dead
  * @param copies         whether unchanged parts of a file may be copied as bytes
  * @param splitAbove     size in bytes of a base file above which several tasks merge it, 1 or
  *                       more
  * @param countsExactly  whether a write reads what it needs to know how many rows it changed */
final case class WriteSettings(
    maxRetries: Int,
    rollbackMillis: Long,
    copies: Boolean,
    splitAbove: Long,
    countsExactly: Boolean
)

object WriteSettings {

  val MaxRetries = "spark.hudilite.write.maxRetries"
  val RollbackAfter = "spark.hudilite.write.rollbackAfter"
  val Copy = "spark.hudilite.write.copy"
  val SplitAbove = "spark.hudilite.write.splitAbove"
  val Counts = "spark.hudilite.write.counts"

  /** Reads the settings of a session. Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf): WriteSettings = WriteSettings(
    Setting.number(conf, MaxRetries)(_.toInt.toLong).toInt,
    Setting.number(conf, RollbackAfter)(JavaUtils.timeStringAs(_, TimeUnit.MILLISECONDS)),
    Setting.word(conf, Copy).toBoolean,
    Setting.number(conf, SplitAbove, least = 1)(JavaUtils.byteStringAsBytes),
    Setting.word(conf, Counts) == "exact"
  )
}
