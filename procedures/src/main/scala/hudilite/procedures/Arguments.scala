package hudilite.procedures

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, Table, TableCatalog}
import org.apache.spark.sql.execution.datasources.v2.ExtractV2Table
import org.apache.spark.sql.types.StructType

import hudilite.error.{HudiliteException, Suggestion}
import hudilite.spark.catalog.{DeclaredIndex, HudiliteTable}
import hudilite.spark.error.InvalidArgument
import hudilite.spark.plan.FileSizes
import hudilite.spark.read.PartitionFilter

/** Checked arguments of one CALL.
  * @param catalog   catalog that CALL names
  * @param procedure name of the procedure, for errors
  * @param input     argument values in the order of the parameters */
final class Arguments(catalog: TableCatalog, procedure: String, input: InternalRow) {

  /** Loads the table that an argument names: from the procedure's own catalog, otherwise as FROM
    * resolves the name.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null, HUDILITE_UNSUPPORTED_STATEMENT for a table that
    * is not a hudilite table, Spark's own error for a table that does not exist. */
  def table(ordinal: Int, argument: String): HudiliteTable = {
    if (input.isNullAt(ordinal)) throw invalid(argument, "NULL", "Write the name of a table.")
    named(input.getString(ordinal))
  }

  /** Loads a table by its name; see [[table]]. */
  def named(name: String): HudiliteTable = {
    val session = SparkSession.active
    inCatalog(session, name).getOrElse(inSession(session, name)) match {
      case table: HudiliteTable => table
      case _ => throw notOurs(name)
    }
  }

  /** Loads a table like [[table]], for a procedure that writes to it.
    * Errors: those of [[table]]; HUDILITE_TABLE_READ_ONLY. */
  def writableTable(ordinal: Int, argument: String): HudiliteTable =
    checked(table(ordinal, argument))

  /** Loads a table by its name; see [[writableTable]]. */
  def writable(name: String): HudiliteTable = checked(named(name))

  private def checked(found: HudiliteTable): HudiliteTable = {
    found.checkWritable()
    found
  }

  /** Fails for a table that does not declare its index, see [[DeclaredIndex]].
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT. */
  def checkDeclared(table: HudiliteTable): Unit = DeclaredIndex.check(s"CALL $procedure", table)

  /** Returns a required text.
    * @param fix what to write instead of a null, for the error
    * Errors: HUDILITE_ARGUMENT_INVALID for a null. */
  def text(ordinal: Int, argument: String, fix: String): String =
    if (input.isNullAt(ordinal)) throw invalid(argument, "NULL", fix)
    else input.getString(ordinal)

  /** Returns an optional text. */
  def textOrNone(ordinal: Int): Option[String] =
    Option.when(!input.isNullAt(ordinal))(input.getString(ordinal))

  /** Returns the text of an argument that has two names.
    * Errors: HUDILITE_ARGUMENT_INVALID if both are given. */
  def oneOf(ordinal: Int, argument: String, other: Int, synonym: String): Option[String] = {
    val second = textOrNone(other)
    if (!input.isNullAt(ordinal))
      second.foreach(text => throw invalid(synonym, text, s"Write one of $argument and $synonym."))
    textOrNone(ordinal).orElse(second)
  }

  /** Returns the column names in the text of an argument; see [[NameList]].
    * Errors: HUDILITE_ARGUMENT_INVALID for an empty name, and for back-ticks that quote no part. */
  def columns(argument: String, text: String): Seq[String] =
    columnParts(argument, text).map(_.mkString("."))

  /** Returns the parts of the column names in the text of an argument; see [[columns]]. */
  def columnParts(argument: String, text: String): Seq[Seq[String]] =
    NameList.parse(text).getOrElse(
      throw invalid(argument, text,
        "Write column names separated by commas, for example 'id,day'. A name with a comma or a " +
          "dot stands in back-ticks.")
    )

  /** Returns an optional condition on the partition columns of a table, as a function of their values;
    * without one it is always true.
    * @param columns partition columns of the table
    * Errors: HUDILITE_ARGUMENT_INVALID, see [[PartitionFilter]]. */
  def partitionFilter(
      ordinal: Int,
      argument: String,
      columns: StructType
  ): InternalRow => Boolean = {
    val text = textOrNone(ordinal)
    PartitionFilter.of(
      SparkSession.active,
      text,
      columns,
      fix => invalid(argument, text.getOrElse(""), fix)
    )
  }

  /** Returns an optional partition path of the table.
    * Errors: HUDILITE_ARGUMENT_INVALID for a path that is not a partition of the table. */
  def partitionOrNone(ordinal: Int, argument: String, table: HudiliteTable): Option[String] =
    textOrNone(ordinal).map { one =>
      if (!table.snapshot.partitions().contains(one))
        throw invalid(argument, one, "Write a partition path of the table, for example 'p=a'.")
      one
    }

  /** Returns a required number of rows to show.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null and for a number below 1. */
  def limit(ordinal: Int, argument: String): Int = number(ordinal, argument, 1)

  /** Returns a required number.
    * @param least smallest valid number
    * Errors: HUDILITE_ARGUMENT_INVALID for a null and for a number below `least`. */
  def number(ordinal: Int, argument: String, least: Int): Int = {
    val fix = s"Write a number that is at least $least."
    if (input.isNullAt(ordinal)) throw invalid(argument, "NULL", fix)
    val number = input.getInt(ordinal)
    if (number < least) throw invalid(argument, number.toString, fix)
    number
  }

  /** Returns an optional number of bytes, 1 or more.
    * Errors: HUDILITE_ARGUMENT_INVALID for a number below 1. */
  def bytesOrNone(ordinal: Int, argument: String): Option[Long] =
    Option.when(!input.isNullAt(ordinal))(input.getLong(ordinal)).map { bytes =>
      if (bytes < 1)
        throw invalid(argument, bytes.toString, "Write a number of bytes that is at least 1.")
      bytes
    }

  /** Returns an optional size of files in bytes, which is written as 128m.
    * Errors: HUDILITE_ARGUMENT_INVALID unless it is above 0. */
  def fileSizeOrNone(ordinal: Int, argument: String): Option[Long] =
    textOrNone(ordinal).map { text =>
      FileSizes.bytes(FileSizes.MaxSize, text).getOrElse(
        throw invalid(argument, text, "Write a size above 0, for example '128m'.")
      )
    }

  /** Returns an optional number in [least, most].
    * Errors: HUDILITE_ARGUMENT_INVALID for a number outside of that range. */
  def numberOrNone(ordinal: Int, argument: String, least: Int, most: Int): Option[Int] =
    Option.when(!input.isNullAt(ordinal)) {
      val found = number(ordinal, argument, least)
      if (found > most)
        throw invalid(argument, found.toString, s"Write a number that is at most $most.")
      found
    }

  /** Returns a required boolean.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null. */
  def flag(ordinal: Int, argument: String): Boolean =
    if (input.isNullAt(ordinal)) throw invalid(argument, "NULL", "Write true or false.")
    else input.getBoolean(ordinal)

  /** Returns the one of `words` that the argument names, ignoring case.
    * Errors: HUDILITE_ARGUMENT_INVALID for a null and for any other word. */
  def choice(ordinal: Int, argument: String, words: Seq[String]): String = {
    val word = text(ordinal, argument, s"Write one of ${words.mkString(", ")}.")
    words
      .find(_.equalsIgnoreCase(word))
      .getOrElse {
        val shown = word.take(InvalidArgument.shownLength)
        throw invalid(argument, word, Suggestion.of(shown, words))
      }
  }

  /** Loads `table` or `database.table` from the procedure's own catalog, whichever catalog is the
    * current one. Returns None if that catalog has no such table. */
  private def inCatalog(session: SparkSession, name: String): Option[Table] =
    identifier(session, session.sessionState.sqlParser.parseMultipartIdentifier(name))
      .filter(catalog.tableExists)
      .map(catalog.loadTable)

  /** Resolves a name of one or two parts in the procedure's own catalog. A bare table name is in
    * the current namespace if that catalog is the current one, otherwise in the current database of
    * the session catalog. Returns None for a name with more parts. */
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

  /** Resolves a name like [[identifier]], but also accepts the procedure's catalog as its first
    * part. */
  def ownIdentifier(session: SparkSession, names: Seq[String]): Option[Identifier] =
    identifier(session, if (names.size == 3 && names.head == catalog.name) names.tail else names)

  private def inSession(session: SparkSession, name: String): Table =
    EliminateSubqueryAliases(session.table(name).queryExecution.analyzed) match {
      case ExtractV2Table(table) => table
      case _ => throw notOurs(name)
    }

  /** Builds HUDILITE_ARGUMENT_INVALID.
    * @param fix what to write instead */
  def invalid(argument: String, value: String, fix: String): HudiliteException =
    InvalidArgument(procedure, argument, value, fix)

  private def notOurs(name: String) =
    refused(name, "Write the name of a table that was created with USING hudilite.")

  /** Builds HUDILITE_UNSUPPORTED_STATEMENT.
    * @param table name of the table */
  def refused(table: String, fix: String): HudiliteException = HudiliteException(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> s"CALL $procedure",
    "table" -> table,
    "fix" -> fix
  )
}
