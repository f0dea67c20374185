package hudilite.procedures

import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog

import hudilite.spark.catalog.{CopyStatement, HudiliteTable, SessionParts}

/** Text of a statement that copies the table of a call to a new one beside it, with another index.
  * Names that CALL resolves in its own catalog carry this one, unless it is the current one.
  * @param arguments arguments of the call, of which the first one names the table */
final private[procedures] class CopyText(catalog: TableCatalog, arguments: Arguments) {

  /** Returns the text.
    * @param end      end of the name of the copy
    * @param buckets  number of its buckets; None: it has none
    * @param wholeKey whether it hashes all key columns, even if the table does not */
  def of(
      table: HudiliteTable,
      end: String,
      buckets: Option[Int],
      wholeKey: Boolean = false
  ): String = {
    val text = arguments.text(0, "table", "Write the name of a table.")
    val session = SparkSession.active
    val names = session.sessionState.sqlParser.parseMultipartIdentifier(text)
    val isPath = names.last.contains("/")
    val copied = if (isPath) Seq(s"copy$end") else names.init :+ (names.last + end)
    val isOwn = arguments.identifier(session, names).exists(catalog.tableExists)
    val isCurrent = session.sessionState.catalogManager.currentCatalog.name == catalog.name
    def shown(parts: Seq[String]) = arguments.identifier(session, parts) match {
      case Some(own) if isOwn && !isCurrent =>
        SessionParts.nameIn(session, catalog.name, own.namespace.toSeq :+ own.name)
      case _ => parts.map(quoteIfNeeded).mkString(".")
    }
    CopyStatement.of(table, shown(names), shown(copied), buckets, wholeKey)
  }
}
