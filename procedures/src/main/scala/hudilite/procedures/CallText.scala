package hudilite.procedures

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog

/** Text of a CALL that a user can run as it stands.
  * @param catalog catalog of the call that the text replaces */
final private[procedures] class CallText(catalog: TableCatalog) {

  /** Returns the text.
    * @param arguments names and values: texts, numbers and booleans */
  def of(procedure: String, arguments: (String, Any)*): String = {
    val written = arguments.map {
      case (name, text: String) => s"$name => ${CallText.literal(text)}"
      case (name, value) => s"$name => $value"
    }
    s"CALL $place$procedure(${written.mkString(", ")})"
  }

  private def place: String = {
    val current = SparkSession.active.sessionState.catalogManager.currentCatalog
    if (current.name == catalog.name) "" else s"${quoteIfNeeded(catalog.name)}.system."
  }
}

private[procedures] object CallText {

  /** Returns a text as a literal of SQL. */
  def literal(text: String): String = Literal(text).sql
}
