package hudilite.spark.error

import org.slf4j.LoggerFactory

/** Warnings about statements that succeeded: one line at level WARN of the logger `hudilite`. */
object Warnings {
  private val logger = LoggerFactory.getLogger("hudilite")

  /** Logs a warning.
    * @param text one line: what was found, where, and what to do about it */
  def say(text: String): Unit = logger.warn(text)
}
