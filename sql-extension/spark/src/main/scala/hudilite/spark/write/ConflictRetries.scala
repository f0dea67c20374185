package hudilite.spark.write

import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.annotation.tailrec

import hudilite.error.HudiliteException

/** Repetition of a write that conflicts with newer commits (driver side). */
object ConflictRetries {
  private val mostMillis = 10000L
  private val mostDoublings = 3

  /** Whether an error says that another commit has changed what the write changes. */
  def isConflict(e: HudiliteException): Boolean = e.condition == "HUDILITE_CONCURRENT_WRITE"

  /** Runs attempts of a rewrite until one does not conflict.
    * @param most    most repetitions, 0 or more
    * @param attempt reads the latest snapshot each time
    * Errors: those of `attempt`, also a conflict after the last repetition. */
  def run[A](most: Int)(attempt: => A): A = {
    @tailrec def from(retries: Int): A = {
      val began = System.nanoTime
      val done =
        try Some(attempt)
        catch { case e: HudiliteException if isConflict(e) && retries < most => None }
      done match {
        case Some(result) => result
        case None =>
          pause(retries, began)
          from(retries + 1)
      }
    }
    from(0)
  }

  /** Waits a random time, longer after each conflict, so that writers of one file group get out of
    * step. In the end only a few of them work at the same time, and none conflicts forever.
    * @param retries conflicts of this write before this one
    * @param began   `System.nanoTime` when the conflicting attempt began */
  def pause(retries: Int, began: Long): Unit = {
    val took = NANOSECONDS.toMillis(System.nanoTime - began)
    val most = math.max(took, 1L) << math.min(retries, mostDoublings)
    Thread.sleep(ThreadLocalRandom.current.nextLong(math.min(most, mostMillis)))
  }
}
