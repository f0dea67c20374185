package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{
  BooleanType,
  IntegerType,
  LongType,
  StringType,
  StructType,
  TimestampType
}

import hudilite.spark.catalog.{HudiliteTable, TimeTravel}
import hudilite.spark.diff.{DiffSide, TableDiff}
import hudilite.spark.error.Warnings
import hudilite.spark.meta.MetadataRows

/** Procedure `CALL diff(table => 'db.t', other => 'db.s' | version => 3 | timestamp => '...')`. Compares
  * two tables, or two states of one, by key. Returns the numbers of inserted, updated and deleted rows
  * in each partition that differs, or such rows. `table` is the state after the changes.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID if nothing is named to compare the table
  * with, for tables with other keys, and for columns or a condition that a table does not have;
  * HUDILITE_VERSION_NOT_FOUND; those of a scan.
  * Sources: issue 33; Delta's table_changes names the kinds of rows. */
final class Diff(catalog: TableCatalog) extends Procedure {

  override def name: String = "diff"
  override def purpose: String =
    "Compares two tables, or two versions of one, by key: rows inserted, updated and deleted."
  override def example: String = "CALL diff(table => 'db.t', version => '3', rows => true)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.needed("table", "name of the table after the changes"),
    Procedure.optional("other", "name of the table before the changes; by default the same table"),
    Procedure.optional("version", "number or instant of the state before the changes"),
    Procedure.optional("timestamp", "time of the state before the changes", TimestampType),
    Procedure.optional("to_version",
      "number or instant of the state after the changes; by default the latest"),
    Procedure.optional("to_timestamp", "time of the state after the changes", TimestampType),
    Procedure.optional("columns", "columns to compare; by default all that both have"),
    Procedure.optional("where", "condition that the rows to compare fulfil; by default all rows"),
    Procedure.optional("rows", "whether to return the rows themselves", BooleanType, "false"),
    Procedure.optional("limit", "maximum number of changed rows to return, 1 or more", IntegerType,
      "100")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val showsRows = arguments.flag(8, "rows")
    val limit = arguments.limit(9, "limit")
    val columns = arguments.textOrNone(6).map(arguments.columns("columns", _))
    val from = travel(arguments, input, 2, "version", "timestamp")
    val to = travel(arguments, input, 4, "to_version", "to_timestamp")
    val other = arguments.textOrNone(1)
    if (other.isEmpty && from.isEmpty)
      throw arguments.invalid("other", "NULL",
        "Write other => 'name of a table', or version or timestamp of an earlier state.")
    val table = arguments.table(0, "table")
    val (before, after) = sides(table, other.map(arguments.named), from, to)
    val diff = TableDiff.of(SparkSession.active, before, after, columns, arguments.textOrNone(7))
    if (diff.leftOut.nonEmpty)
      Warnings.say(
        s"CALL diff(table => '${table.name}', ...) compares the columns that both tables " +
          s"have, without ${diff.leftOut.mkString(", ")}."
      )
    if (showsRows) Result.of(diff.schema, diff.rows(limit))
    else
      Result.of(
        Diff.schema,
        diff.counts.map(of =>
          MetadataRows.row(of.partition, of.inserted, of.updated, of.deleted)
        )
      )
  }

  /** Returns the states before and after. Those of one table are read with its latest columns. */
  private def sides(
      table: HudiliteTable,
      other: Option[HudiliteTable],
      from: Option[TimeTravel],
      to: Option[TimeTravel]
  ): (DiffSide, DiffSide) = {
    val isOne = other.forall(_.basePath == table.basePath)
    def side(of: HudiliteTable, travel: Option[TimeTravel]) = {
      val state = travel.fold(of)(of.at)
      DiffSide(state, if (isOne) table.schema else state.schema)
    }
    (side(other.getOrElse(table), from), side(table, to))
  }

  /** Returns the state that one of two arguments names; the second one stands behind the first. */
  private def travel(
      arguments: Arguments,
      input: InternalRow,
      ordinal: Int,
      version: String,
      timestamp: String
  ): Option[TimeTravel] = {
    val named = arguments.textOrNone(ordinal)
    val timed = Option.when(!input.isNullAt(ordinal + 1))(input.getLong(ordinal + 1))
    if (timed.nonEmpty)
      named.foreach { text =>
        throw arguments.invalid(version, text, s"Write one of $version and $timestamp.")
      }
    named.map(text => TimeTravel.Version(text.trim)).orElse(timed.map(TimeTravel.Timestamp(_)))
  }
}

object Diff {
  private val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("rows_inserted", LongType, nullable = false)
    .add("rows_updated", LongType, nullable = false)
    .add("rows_deleted", LongType, nullable = false)
}
