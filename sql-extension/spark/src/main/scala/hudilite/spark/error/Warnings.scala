package hudilite.spark.error

import java.util.WeakHashMap

import org.apache.spark.sql.classic.SparkSession
import org.slf4j.LoggerFactory

/** Warnings about statements that succeeded: one line at level WARN of the logger `hudilite`. */
object Warnings {
  private val logger = LoggerFactory.getLogger("hudilite")

  /** Logs a warning.
    * @param text one line: what was found, where, and what to do about it */
  def say(text: String): Unit = logger.warn(text)

  private val asked = new WeakHashMap[SparkSession, Set[String]]

  /** Whether this is the first time that a session asks for a warning.
    * @param topic what the warning is about */
  def isFirst(session: SparkSession, topic: String): Boolean = asked.synchronized {
    val before = Option(asked.get(session)).getOrElse(Set.empty)
    asked.put(session, before + topic)
    !before(topic)
  }
}
