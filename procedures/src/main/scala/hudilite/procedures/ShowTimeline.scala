package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}

import hudilite.spark.meta.{HistoryRows, MetadataRows}

/** Procedure `CALL show_timeline(table => 'db.t', limit => 10)`. Returns the instants of the active
  * timeline, the latest first, each with the version of the table, and with whether Hudi's metadata
  * table is kept, if the table says that it should. Archived instants are not shown.
  *
  * Errors: those of [[Arguments]]; HUDILITE_CORRUPT_TIMELINE. */
final class ShowTimeline(catalog: TableCatalog) extends Procedure {

  override def name: String = "show_timeline"
  override def purpose: String =
    "Lists the instants of a table's active timeline, latest first, with what each wrote."
  override def example: String = "CALL show_timeline(table => 'db.t', limit => 20)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("limit", "maximum number of instants to show, 1 or more", IntegerType,
      value = "10")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val limit = arguments.limit(1, "limit")
    val table = arguments.table(0, "table")
    val version = MetadataRows.row(table.config.version.code, table.config.upkeep)
    val rows = HistoryRows.of(table, limit).map(new JoinedRow(_, version))
    Result.of(ShowTimeline.schema, rows)
  }
}

object ShowTimeline {
  private val schema: StructType =
    HistoryRows.schema
      .add("table_version", StringType, nullable = false)
      .add("metadata_table", StringType)
}
