package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession

/** Text of a CALL that a user can run as it stands.
  * @param catalog name of the catalog whose procedures are called */
final private[hudilite] class CallText(catalog: String) {

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
    if (current.name == catalog) "" else s"${quoteIfNeeded(catalog)}.system."
  }
}

private[hudilite] object CallText {

  /** Returns the text of a CALL whose first argument is a table. A table by path has no catalog: the
    * text then names none.
    * @param others names and values of the other arguments */
  def of(table: HudiliteTable, procedure: String, others: (String, Any)*): String = {
    val current = SparkSession.active.sessionState.catalogManager.currentCatalog.name
    val own = if (table.isInCatalog) table.name.takeWhile(_ != '.') else current
    new CallText(own).of(procedure, ("table" -> table.name) +: others: _*)
  }

  /** Returns a text as a literal of SQL. */
  def literal(text: String): String = Literal(text).sql
}
