package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType, StructType}

import hudilite.service.Restore
import hudilite.spark.catalog.{CallText, HudiliteTable, TableCaches, TimeTravel}
import hudilite.spark.error.Warnings
import hudilite.spark.hive.SyncBehind
import hudilite.spark.meta.MetadataRows
import hudilite.spark.repair.StoredOrdering

/** Procedure `CALL restore(table => 'db.t', instant => '20261121...' [, dry_run => true])`. Undoes
  * every commit that became visible after the one of `instant`. Calling it again has no effect. A
  * copy-on-write table that was merge-on-read then, with rows in log files, is merge-on-read again.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID if a commit to undo has a savepoint;
  * HUDILITE_VERSION_NOT_FOUND, HUDILITE_SNAPSHOT_EXPIRED; HUDILITE_UNSUPPORTED_TABLE while a table
  * service of stock Hudi is pending; HUDILITE_NULL_ORDERING_STORED; HUDILITE_CORRUPT_TIMELINE,
  * HUDILITE_UNSAFE_STORAGE; those of [[SetTableType]].
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
    val restore = restoreOf(table)
    restore.saved(instant).headOption.foreach { saved =>
      val delete = CallText.of(table, "delete_savepoint", "instant" -> saved)
      throw arguments.invalid(
        "instant",
        instant,
        s"Savepoint $saved is later. First run $delete, or write a later commit."
      )
    }
    checkCounts(arguments, table, restore, instant)
    val isRetyped = restore.needsLogFiles(instant)
    if (isRetyped || table.config.isMergeOnRead && table.config.typeSince.nonEmpty)
      checkOrdering(table, instant)
    val done =
      if (isDry) restore.look(instant)
      else if (isRetyped) {
        restore.look(instant): Unit // fails before the type is changed
        asMergeOnRead(() => arguments.writableTable(0, "table"), instant)
      } else restore.run(instant)
    if (!isDry) {
      TableCaches.refresh(SparkSession.active, table)
      SyncBehind(if (isRetyped) arguments.table(0, "table") else table)
    }
    val row =
      MetadataRows.row(done.instant, instant, done.lost.size, done.deleted.size, isDry)
    Result.of(RestoreTable.schema, Seq(row))
  }

  /** Fails if the table had a number of buckets that it does not have now: file ids would be taken for
    * those of other buckets.
    * Errors: HUDILITE_ARGUMENT_INVALID. */
  private def checkCounts(
      arguments: Arguments,
      table: HudiliteTable,
      restore: Restore,
      instant: String
  ): Unit = for {
    now <- table.snapshot.counts
    before <- restore.countsAt(instant)
    first <-
      if (before.own != now.own) Some(Seq("buckets" -> before.own))
      else // one step leaves the table with both numbers
        Seq(before.other).find(!Seq(now.own, now.other).contains(_))
          .map(other => Seq("buckets" -> other, "max_bytes" -> 1))
    if !restore.keepsBuckets(instant, now)
  } throw arguments.invalid(
    "instant",
    instant,
    s"The table had ${before.text} buckets then, and has ${now.text}. First run " +
      s"${CallText.of(table, "rescale", first: _*)}, or read the state with VERSION AS OF."
  )

  private def restoreOf(table: HudiliteTable) =
    new Restore(table.timeline, table.config, table.log, () => System.currentTimeMillis())

  /** Makes the table merge-on-read, as it was at the state, and restores it.
    * @param open opens the table as it is then */
  private def asMergeOnRead(open: () => HudiliteTable, instant: String): Restore.Outcome = {
    SetTableType.change(open, isMergeOnRead = true): Unit
    val table = open()
    Warnings.say(
      s"Table ${table.name} was merge-on-read at $instant, and is merge-on-read again. To make it " +
        s"copy-on-write: ${CallText.of(table, "set_table_type", "type" -> "cow")}."
    )
    restoreOf(table).run(instant)
  }

  /** Fails if the table was copy-on-write before and a row of that state has no ordering value.
    * Errors: HUDILITE_NULL_ORDERING_STORED. */
  private def checkOrdering(table: HudiliteTable, instant: String): Unit = {
    val session = SparkSession.active
    val travel = Some(TimeTravel.Version(instant))
    val state =
      HudiliteTable.open(session, table.name, table.basePath, Map.empty, travel = travel)
    StoredOrdering.check(session, state)
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
