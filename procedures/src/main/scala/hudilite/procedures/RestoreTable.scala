package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType, StructType}

import hudilite.service.Restore
import hudilite.spark.catalog.{HudiliteTable, TimeTravel}
import hudilite.spark.hive.SyncBehind
import hudilite.spark.meta.MetadataRows
import hudilite.spark.repair.TypePreparation

/** Procedure `CALL restore(table => 'db.t', instant => '20261121...' [, dry_run => true])`. Undoes
  * every commit that became visible after the one of `instant`. Calling it again has no effect.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID if a commit to undo has a savepoint;
  * HUDILITE_VERSION_NOT_FOUND, HUDILITE_SNAPSHOT_EXPIRED; HUDILITE_UNSUPPORTED_TABLE while a table
  * service of stock Hudi is pending, or if the state has log files and the table is copy-on-write now;
  * HUDILITE_NULL_ORDERING_STORED; HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE.
  * Source: hudi-format §3.10. */
final class RestoreTable(catalog: TableCatalog) extends Procedure {

  override def name: String = "restore"
  override def purpose: String = "Undoes all commits of a table after the given one."
  override def example: String =
    "CALL restore(table => 'db.t', instant => '20261121093000000', dry_run => true)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.needed("instant", "instant of the last commit to keep, as show_timeline shows it"),
    Procedure.optional("dry_run", "whether to only count the files", BooleanType, "false")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val instant =
      arguments.text(1, "instant", "Write the instant of a commit that CALL show_timeline shows.")
    val isDry = arguments.flag(2, "dry_run")
    val table = arguments.writableTable(0, "table")
    table.snapshot.checkNothingPlanned()
    val restore = new Restore(
      table.timeline,
      table.config,
      table.log,
      () => System.currentTimeMillis()
    )
    restore.saved(instant).headOption.foreach { saved =>
      throw arguments.invalid(
        "instant",
        instant,
        s"Savepoint $saved is later: run CALL delete_savepoint(...) first, or write a later commit."
      )
    }
    if (table.config.isMergeOnRead && table.config.typeSince.nonEmpty)
      checkOrdering(table, instant)
    val done = if (isDry) restore.look(instant) else restore.run(instant)
    if (!isDry) SyncBehind(table)
    val row =
      MetadataRows.row(done.instant, instant, done.lost.size, done.deleted.size, isDry)
    Result.of(RestoreTable.schema, Seq(row))
  }

  /** Fails if the table was copy-on-write before and a row of that state has no ordering value.
    * Errors: HUDILITE_NULL_ORDERING_STORED. */
  private def checkOrdering(table: HudiliteTable, instant: String): Unit = {
    val session = SparkSession.active
    val travel = Some(TimeTravel.Version(instant))
    val state =
      HudiliteTable.open(session, table.name, table.basePath, Map.empty, travel = travel)
    TypePreparation.checkOrdering(session, state)
  }
}

object RestoreTable {
  private val schema: StructType = new StructType()
    .add("restore_instant", StringType)
    .add("restored_to", StringType, nullable = false)
    .add("commits_undone", IntegerType, nullable = false)
    .add("files_deleted", IntegerType, nullable = false)
    .add("dry_run", BooleanType, nullable = false)
}
