package hudilite.spark.functions

import java.util.Locale

import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.analyze.TableFunctionCall
import hudilite.spark.analyze.TableFunctionCall.literal
import hudilite.spark.catalog.IncrementalQuery
import hudilite.spark.meta.StockRows

/** Table functions of stock Hudi: those with the same meaning here, and those that are refused with
  * what to type instead.
  * Source: Hudi's SQL queries, table-valued functions. */
private[functions] object StockFunctions {

  /** Name of each function, how to call it, and its plan. */
  val all: Seq[(String, String, TableFunctionCall => LogicalPlan)] = Seq(
    (
      "hudi_table_changes",
      "hudi_table_changes('table', 'latest_state', 'instant' or 'earliest' [, 'instant'])",
      changes
    ),
    (
      "hudi_query_timeline",
      "hudi_query_timeline('table')",
      timeline
    ),
    (
      "hudi_filesystem_view",
      "hudi_filesystem_view('table')",
      slices
    ),
    (
      "hudi_metadata",
      "hudi_metadata('table')",
      call => {
        call.checkCount(1, 1)
        val table = literal(TableFunctionCall.inFrom(call.text(0, "table")))
        throw call.refused(
          s"hudilite does not read Hudi's metadata table. Type: CALL metadata_table(table => $table)"
        )
      }
    ),
    (
      "hudi_query",
      "hudi_query('table', 'mode')",
      call => {
        call.checkCount(1, 4)
        throw call.refused(
          s"Type: SELECT * FROM ${TableFunctionCall.inFrom(call.text(0, "table"))}"
        )
      }
    )
  )

  /** The rows that the commits of a range wrote and the last of them still contains. */
  private def changes(call: TableFunctionCall): LogicalPlan = {
    call.checkCount(3, 4)
    val table = call.table
    val mode = call.text(1, "mode").toLowerCase(Locale.ROOT)
    val begin = call.text(2, "begin")
    val end = call.textOrNone(3, "end")
    if (mode == "cdc") {
      val range = (call.text(0, "table") +: begin +: end.toSeq).map(literal).mkString(", ")
      throw call.invalid("mode", mode,
        s"hudilite compares rows, and reads no stored changes. Type: SELECT * FROM hudilite_changes($range)")
    }
    if (mode != "latest_state") throw call.invalid("mode", mode, s"Write ${call.usage}.")
    def instant(argument: String, text: String) =
      if (text.nonEmpty && text.length <= digits && text.forall(_.isDigit)) text
      else throw call.invalid(argument, text, s"Write ${call.usage}.")
    val from = if (begin.equalsIgnoreCase("earliest")) earliest else instant("begin", begin)
    val read = IncrementalQuery(from, end.map(instant("end", _))).of(SparkSession.active, table)
    DataSourceV2Relation.create(read, None, None, CaseInsensitiveStringMap.empty)
  }

  private def timeline(call: TableFunctionCall): LogicalPlan = {
    call.checkCount(1, 2)
    call.textOrNone(1, "archived").filterNot(_.equalsIgnoreCase("false")).foreach { archived =>
      throw call.invalid("archived", archived,
        "hudilite shows the active timeline alone. Leave the argument out.")
    }
    rows(call, StockRows.timeline)
  }

  private def slices(call: TableFunctionCall): LogicalPlan = {
    call.checkCount(1, 2)
    call.textOrNone(1, "path").foreach { path =>
      throw call.invalid("path", path,
        "Leave the argument out, and write a condition on Partition_Path.")
    }
    rows(call, StockRows.slices)
  }

  private def rows(call: TableFunctionCall, of: StockRows): LogicalPlan =
    LocalRelation(DataTypeUtils.toAttributes(of.schema), of.rows(call.table).toSeq)

  /** Instant before all others. */
  private val earliest = "000"
  private val digits = 17
}
