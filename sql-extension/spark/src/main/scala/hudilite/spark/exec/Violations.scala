package hudilite.spark.exec

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException

/** Keys that break a rule of the statement, gathered so that the error can name some (task side).
  *
  * The first rule that is broken decides the condition; the task goes on until it has named enough
  * keys or has no more rows.
  */
final class Violations(table: String) {
  private val most = 5
  private var condition: Option[String] = None
  private val keys = ArrayBuffer.empty[String]

  /** Notes a key.
    *
    * @throws HudiliteException once enough keys are known
    */
  def add(broken: String, key: UTF8String): Unit = {
    if (condition.isEmpty) condition = Some(broken)
    if (condition.contains(broken) && !keys.contains(key.toString)) keys += key.toString
    if (keys.size >= most) raise()
  }

  /** Fails the task if any rule was broken. */
  def raise(): Unit = condition.foreach { c =>
    throw new HudiliteException(c, Map("table" -> table, "keys" -> keys.mkString(", ")))
  }
}

object Violations {
  val DuplicateKey = "HUDILITE_DUPLICATE_KEY"
  val Cardinality = "HUDILITE_MERGE_CARDINALITY"
}
