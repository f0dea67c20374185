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

  /** `20` where it is not set; 0 gives HUDILITE_CONCURRENT_WRITE at once. */
  val MaxRetries = "spark.hudilite.write.maxRetries"

  /** `1d` where it is not set; a duration as Spark writes them. */
  val RollbackAfter = "spark.hudilite.write.rollbackAfter"

  /** `true` where it is not set; `false` encodes all rows of a file that is written anew, in the codec and
    * the pages that the session asks for. */
  val Copy = "spark.hudilite.write.copy"

  /** Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf): WriteSettings = WriteSettings(
    Setting.number(conf, MaxRetries, "20", "0, 1, 2 ...")(_.toInt.toLong).toInt,
    Setting.number(conf, RollbackAfter, "1d", "0s, 30min, 12h, 7d ...")(
      JavaUtils.timeStringAs(_, TimeUnit.MILLISECONDS)
    ),
    Setting.truth(conf, Copy, default = true)
  )
}
