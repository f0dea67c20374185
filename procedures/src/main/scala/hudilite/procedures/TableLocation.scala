package hudilite.procedures

import java.io.IOException

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.classic.SparkSession

import hudilite.io.Storage
import hudilite.spark.catalog.{HudiliteTableCatalog, SessionTables}
import hudilite.timeline.{TimelineFiles, TimelineLayout}

/** Finder of the base path of a table, for procedures that also work on damaged tables. Unlike
  * [[Arguments.table]] it opens no file of a table that has a USING hudilite entry in Spark's
  * session catalog, or that is named by its path.
  * @param arguments arguments of the call */
final class TableLocation(arguments: Arguments) {
  private val session = SparkSession.active

  /** Returns the base path of a table given as `table`, `database.table`, hudilite.`/path` or as
    * the path alone.
    * Errors: HUDILITE_ARGUMENT_INVALID for a text that is neither a name nor the folder of a table,
    * and those of [[Arguments.table]]. */
  def of(ordinal: Int, argument: String): Path = {
    val text = arguments.text(ordinal, argument, "Write the name of a table.")
    if (text.length > TableLocation.longest)
      throw arguments.invalid(argument, text, "Write the name of a table.")
    parts(text) match {
      case Some(Seq(provider, path)) if isPath(provider, path) => folder(argument, path)
      case Some(names) =>
        identifier(names)
          .flatMap(new SessionTables(session).find)
          .fold(arguments.table(ordinal, argument).basePath)(entry => new Path(entry.location))
      case None if text.contains("/") => folder(argument, text)
      case None =>
        throw arguments.invalid(
          argument,
          text,
          "Write table, database.table or a folder. Put a name with other characters into backticks."
        )
    }
  }

  private def parts(text: String): Option[Seq[String]] =
    try Some(session.sessionState.sqlParser.parseMultipartIdentifier(text))
    catch { case _: ParseException => None }

  private def isPath(provider: String, path: String): Boolean =
    provider.equalsIgnoreCase(SessionTables.provider) && path.contains("/")

  /** Resolves a name to an entry of Spark's session catalog, which is searched first. A
    * HudiliteCatalog under any name shows the tables of the session catalog. */
  private def identifier(names: Seq[String]): Option[TableIdentifier] = {
    val manager = session.sessionState.catalogManager
    names match {
      case Seq(name, database, table) if manager.isCatalogRegistered(name) =>
        manager.catalog(name) match {
          case _: HudiliteTableCatalog => Some(TableIdentifier(table, Some(database)))
          case _ => None
        }
      case _ =>
        arguments.identifier(session, names)
          .map(ident => TableIdentifier(ident.name, ident.namespace.headOption))
    }
  }

  private def folder(argument: String, path: String): Path = {
    val conf = session.sessionState.newHadoopConf()
    def refused(reason: String) = arguments.invalid(
      argument,
      path,
      s"$reason Write the folder that contains ${TimelineLayout.ofNewTables.metadata}, " +
        "or the name of a table."
    )
    val full =
      try Storage.qualified(new Path(path), conf)
      catch {
        case e: IllegalArgumentException => throw refused(s"It is not a path (${e.getMessage}).")
        case e: IOException => throw refused(s"It cannot be opened (${e.getMessage}).")
      }
    val isTable = TimelineFiles.isTable(Storage.of(full, conf), full)
    if (isTable) full else throw refused("There is no Hudi table in this folder.")
  }
}

object TableLocation {

  /** Longest accepted text in characters. No path and no table name is longer. */
  private[procedures] val longest = 4096
}
