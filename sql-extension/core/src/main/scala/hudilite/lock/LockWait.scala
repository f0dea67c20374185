package hudilite.lock

import java.util.concurrent.ThreadLocalRandom

import hudilite.error.HudiliteException

/** How long a writer waits for others.
  * @param seconds most seconds
  * @param sleep   waits for a number of milliseconds */
private[hudilite] final case class LockWait(seconds: Long, sleep: Long => Unit = Thread.sleep(_)) {
  import LockWait._

  /** Returns the moment at which the waiting ends.
    * @param now milliseconds since 1970 */
  def end(now: Long): Long = now + seconds * 1000L

  /** Waits a random time before the next look, up to the time that stock Hudi waits. */
  def pause(): Unit = sleep(ThreadLocalRandom.current.nextLong(leastMillis, mostMillis + 1))

  /** Returns HUDILITE_LOCK_TIMEOUT.
    * @param reason clause that says for whom the writer has waited */
  def timeout(table: String, reason: String): HudiliteException = HudiliteException(
    "HUDILITE_LOCK_TIMEOUT",
    "table" -> table,
    "seconds" -> seconds.toString,
    "reason" -> reason
  )
}

private[hudilite] object LockWait {

  /** Session setting: the most seconds. */
  val setting = "spark.hudilite.write.lockSeconds"

  private val leastMillis = 100L
  private val mostMillis = 1000L
}
