package hudilite.procedures

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, Table, TableCatalog}
import org.apache.spark.sql.execution.datasources.v2.ExtractV2Table

import hudilite.error.{HudiliteException, Suggestion}
import hudilite.spark.catalog.HudiliteTable

/** The arguments of one CALL, checked.
  * @param catalog   the catalog that CALL names
  * @param procedure its name, for errors
  * @param input     values in the order of the parameters */
final class Arguments(catalog: TableCatalog, procedure: String, input: InternalRow) {
  private val shownLength = 100

  /** The table that an argument names: in the procedure's own catalog, or as FROM would find it.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null, HUDILITE_UNSUPPORTED_STATEMENT for a table that
    * is none of ours; Spark's own for one that is not there. */
  def table(ordinal: Int, argument: String): HudiliteTable = {
    if (input.isNullAt(ordinal)) throw invalid(argument, "NULL", "Name a table.")
    val name = input.getString(ordinal)
    val session = SparkSession.active
    inCatalog(session, name).getOrElse(inSession(session, name)) match {
      case table: HudiliteTable => table
      case _ => throw notOurs(name)
    }
  }

  /** Refuses to write a table of which nobody knows how its keys are found.
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT. */
  def checkDeclared(table: HudiliteTable): Unit =
    if (!table.config.isIndexDeclared)
      throw refused(
        table.name,
        "It does not say how its keys are found: run CREATE TABLE name USING hudilite " +
          "[WITH BUCKETS n] LOCATION '...' once."
      )

  /** A text, shown in errors up to a length.
    * @param fix what to write instead of nothing
    * Errors: HUDILITE_ARGUMENT_INVALID for a null. */
  def text(ordinal: Int, argument: String, fix: String): String =
    if (input.isNullAt(ordinal)) throw invalid(argument, "NULL", fix)
    else input.getString(ordinal)

  /** A text that may be left out. */
  def textOrNone(ordinal: Int): Option[String] =
    Option.when(!input.isNullAt(ordinal))(input.getString(ordinal))

  /** The folder of one of a table's partitions, that may be left out.
    * Errors: HUDILITE_ARGUMENT_INVALID for any other. */
  def partitionOrNone(ordinal: Int, argument: String, table: HudiliteTable): Option[String] =
    textOrNone(ordinal).map { one =>
      if (!table.snapshot.partitions().contains(one))
        throw invalid(argument, one, "Write the folder of a partition of the table.")
      one
    }

  /** A number of rows to show.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null and for less than 1. */
  def limit(ordinal: Int, argument: String): Int = number(ordinal, argument, 1)

  /** A number that is not below the least.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null and for less. */
  def number(ordinal: Int, argument: String, least: Int): Int = {
    val fix = s"Write a number from $least on."
    if (input.isNullAt(ordinal)) throw invalid(argument, "NULL", fix)
    val number = input.getInt(ordinal)
    if (number < least) throw invalid(argument, number.toString, fix)
    number
  }

  /** A number of bytes from 1 on, that may be left out.
    * Errors: HUDILITE_ARGUMENT_INVALID for less. */
  def bytesOrNone(ordinal: Int, argument: String): Option[Long] =
    Option.when(!input.isNullAt(ordinal))(input.getLong(ordinal)).map { bytes =>
      if (bytes < 1) throw invalid(argument, bytes.toString, "Write a number of bytes from 1 on.")
      bytes
    }

  /** A number that is neither below the least nor above the most, and may be left out.
    * Errors: HUDILITE_ARGUMENT_INVALID for any other. */
  def numberOrNone(ordinal: Int, argument: String, least: Int, most: Int): Option[Int] =
    Option.when(!input.isNullAt(ordinal)) {
      val found = number(ordinal, argument, least)
      if (found > most) throw invalid(argument, found.toString, s"Write a number up to $most.")
      found
    }

  /** Yes or no.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null. */
  def flag(ordinal: Int, argument: String): Boolean =
    if (input.isNullAt(ordinal)) throw invalid(argument, "NULL", "Write true or false.")
    else input.getBoolean(ordinal)

  /** One of a few words, in either case.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null and for any other word. */
  def choice(ordinal: Int, argument: String, words: Seq[String]): String = {
    val word = text(ordinal, argument, s"Write one of ${words.mkString(", ")}.")
    words
      .find(_.equalsIgnoreCase(word))
      .getOrElse(throw invalid(argument, word, Suggestion.of(word.take(shownLength), words)))
  }

  /** A table or database and table of the procedure's own catalog, whichever is the current one. */
  private def inCatalog(session: SparkSession, name: String): Option[Table] =
    identifier(session, session.sessionState.sqlParser.parseMultipartIdentifier(name))
      .filter(catalog.tableExists)
      .map(catalog.loadTable)

  /** What a name of one or two parts stands for in the procedure's own catalog. */
  def identifier(session: SparkSession, names: Seq[String]): Option[Identifier] = {
    val manager = session.sessionState.catalogManager
    names match {
      case Seq(table) if manager.currentCatalog.name == catalog.name =>
        Some(Identifier.of(manager.currentNamespace, table))
      case Seq(table) =>
        Some(Identifier.of(Array(session.sessionState.catalog.getCurrentDatabase), table))
      case Seq(database, table) => Some(Identifier.of(Array(database), table))
      case _ => None
    }
  }

  /** The same of a name that may begin with that of the catalog. */
  def ownIdentifier(session: SparkSession, names: Seq[String]): Option[Identifier] =
    identifier(session, if (names.size == 3 && names.head == catalog.name) names.tail else names)

  private def inSession(session: SparkSession, name: String): Table =
    EliminateSubqueryAliases(session.table(name).queryExecution.analyzed) match {
      case ExtractV2Table(table) => table
      case _ => throw notOurs(name)
    }

  /** HUDILITE_ARGUMENT_INVALID; a long value is cut, and stays on one line. */
  def invalid(argument: String, value: String, fix: String): HudiliteException = HudiliteException(
    "HUDILITE_ARGUMENT_INVALID",
    "argument" -> argument,
    "procedure" -> procedure,
    "value" -> shown(value),
    "fix" -> fix
  )

  private def shown(value: String): String = {
    val line = value.take(shownLength).map(c => if (c.isControl) ' ' else c)
    if (value.isEmpty) "an empty text" else if (value.length > shownLength) s"$line..." else line
  }

  private def notOurs(name: String) =
    refused(name, "Name a table that was created with USING hudilite.")

  /** HUDILITE_UNSUPPORTED_STATEMENT.
    * @param table its name */
  def refused(table: String, fix: String): HudiliteException = HudiliteException(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> s"CALL $procedure",
    "table" -> table,
    "fix" -> fix
  )
}
