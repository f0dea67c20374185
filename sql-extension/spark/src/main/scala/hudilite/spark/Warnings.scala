package hudilite.spark

import org.slf4j.LoggerFactory

/** What a user should know of a statement that has done its work: a line at level WARN under the
  * logger `hudilite`. */
object Warnings {
  private val logger = LoggerFactory.getLogger("hudilite")

  /** @param text one line: what was found, where, and what to do about it */
  def say(text: String): Unit = logger.warn(text)
}
