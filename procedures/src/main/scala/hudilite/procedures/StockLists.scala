package hudilite.procedures

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType}

import hudilite.procedures.StockArgument._
import hudilite.procedures.StockProcedure.{Answer, Call}
import hudilite.spark.meta.StockRows

/** Procedures of stock Hudi that show the commits of a table, its services and its properties. */
private[procedures] object StockLists {

  def all(catalog: TableCatalog): Seq[Procedure] = {
    def shows(name: String, purpose: String, more: StockArgument*)(rows: StockRows) = {
      val of = if (more.contains(path)) table else onlyTable
      new StockProcedure(catalog, name, purpose, s"CALL $name(table => 'db.t')", of +: more)(
        _.rows(rows)
      )
    }
    def ofCommit(name: String, purpose: String)(rows: String => StockRows) =
      new StockProcedure(
        catalog,
        name,
        purpose,
        s"CALL $name(table => 'db.t', instant_time => '20261121093000000')",
        Seq(onlyTable, limit("10"), optional("instant_time", "instant of the commit, required"))
      )(call =>
        found(call, rows)
      )
    Seq(
      shows("show_commits", "Lists the commits of the active timeline, latest first.",
        limit("10"))(StockRows.commits),
      shows("show_commits_metadata", "Lists the files that the commits wrote, latest first.",
        limit("10"))(StockRows.commitsMetadata),
      ofCommit("show_commit_files", "Lists the files that a commit wrote.")(StockRows.commitFiles),
      ofCommit("show_commit_partitions", "Lists the partitions in which a commit wrote files.")(
        StockRows.commitPartitions
      ),
      ofCommit("show_commit_write_stats", "Shows the bytes and rows that a commit wrote.")(
        StockRows.commitWriteStats
      ),
      new StockProcedure(
        catalog,
        "show_commit_extra_metadata",
        "Lists what writers store in commits besides the files.",
        "CALL show_commit_extra_metadata(table => 'db.t', metadata_key => 'schema')",
        Seq(
          onlyTable,
          limit("100"),
          optional("instant_time", "instant of the commit; by default all"),
          optional("metadata_key", "key to show; by default all")
        )
      )(call =>
        call.rows(StockRows.extraMetadata(call.text("instant_time"), call.text("metadata_key")))
      ),
      shows("show_cleans", "Lists the completed cleans of the active timeline, latest first.",
        limit("10"), active("showArchived"), filter)(StockRows.cleans),
      shows("show_rollbacks", "Lists the completed rollbacks of the active timeline, latest first.",
        limit("10"))(StockRows.rollbacks),
      shows("show_compaction", "Lists the compactions of the active timeline, latest first.",
        path, limit("20"))(StockRows.compactions),
      shows("show_savepoints", "Lists the savepoints of a table, latest first.", path)(
        StockRows.savepoints
      ),
      shows("show_table_properties", "Lists the properties of a table.",
        path, limit("10"), filter)(StockRows.properties)
    )
  }

  private def limit(value: String) =
    optional("limit", "maximum number of rows to show, 1 or more", IntegerType, value)

  private def active(name: String) =
    refused(name, "hudilite shows the active timeline alone: leave it out.", BooleanType, "false")

  private val filter =
    refused("filter", "Leave it out, and filter the rows where they are used.", StringType, "''")

  /** Returns the rows of a commit.
    * Errors: HUDILITE_ARGUMENT_INVALID if there is no such commit. */
  private def found(call: Call, rows: String => StockRows): Answer = {
    val instant = call.arguments.text(call.ordinal("instant_time"), "instant_time", fix).trim
    val answer = call.rows(rows(instant))
    if (answer.rows.isEmpty && call.table.snapshot.metadata(instant).isEmpty)
      throw call.arguments.invalid("instant_time", instant, fix)
    answer
  }

  private val fix = "Write the commit_time of a row of CALL show_commits."
}
