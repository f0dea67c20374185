package hudilite.spark.merge

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException

/** Keys that violate a rule of the statement, collected so that the error can name some of them
  * (task side).
  *
  * The first violated rule decides the condition. The task continues until it has collected enough
  * keys or has no more rows.
  */
final class KeyViolations(table: String) {
  private val most = 5
  private var condition: Option[String] = None
  private val keys = ArrayBuffer.empty[String]

  /** Adds a key.
    *
    * @throws HudiliteException when enough keys are known
    */
  def add(broken: String, key: UTF8String): Unit = {
    if (condition.isEmpty) condition = Some(broken)
    if (condition.contains(broken) && !keys.contains(key.toString)) keys += key.toString
    if (keys.size >= most) raise()
  }

  /** Fails the task if a rule was violated. */
  def raise(): Unit = condition.foreach { c =>
    throw new HudiliteException(c, Map("table" -> table, "keys" -> keys.mkString(", ")))
  }
}

object KeyViolations {
  val DuplicateKey = "HUDILITE_DUPLICATE_KEY"
  val Cardinality = "HUDILITE_MERGE_CARDINALITY"
}
