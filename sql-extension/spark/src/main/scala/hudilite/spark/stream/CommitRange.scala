package hudilite.spark.stream

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.types.{StringType, StructField, StructType}

import hudilite.format.MetaFields
import hudilite.spark.catalog.{HudiliteTable, IncrementalQuery, TablePath, TimeTravel}
import hudilite.spark.read.ChangedRows
import hudilite.view.ChangedFiles

/** What commits of a table tell, as rows of one batch (driver side).
  * @param table      as it is now
  * @param tellsKinds whether each change comes with its kind and its commit's instant */
private[stream] final class CommitRange(
    session: SparkSession,
    table: HudiliteTable,
    tellsKinds: Boolean
) {

  /** The table's columns; with kinds `_change_type` and `_commit_instant` after them. */
  def schema: StructType = {
    val columns = relation(table).schema
    if (tellsKinds)
      StructType(columns.map(_.copy(nullable = true)))
        .add(StructField(ChangedRows.kind, StringType))
        .add(StructField(ChangedRows.instant, StringType))
    else columns
  }

  /** The rows that are there as of a commit, each an insert. */
  def whole(instant: String): DataFrame = {
    val earlier =
      TablePath.open(session, Seq(table.basePath.toString), Some(TimeTravel.Version(instant)))
    val rows = relation(earlier)
    val kinds = Seq(
      lit(ChangedRows.Insert).as(ChangedRows.kind),
      col(MetaFields.CommitTime).as(ChangedRows.instant)
    )
    rows.select(columnsOf(earlier.schema) ++ kinds.filter(_ => tellsKinds): _*)
  }

  /** What commits have changed.
    * @param from commit after which they count, "" before the first
    * @param to   the last commit that counts
    * Errors: HUDILITE_VERSION_NOT_FOUND, HUDILITE_SNAPSHOT_EXPIRED. */
  def between(from: String, to: String): DataFrame =
    if (tellsKinds) {
      val changes = ChangedFiles.between(table.storage, table.basePath, table.config,
        Option(from).filter(_.nonEmpty), Some(to))
      val last = changes.last.getOrElse(table.snapshot)
      val known = table.schemaAt(last)
      frame(ChangedRows.plan(session, table.name, known, last, changes.steps))
        .select(columnsOf(known) ++ Seq(col(ChangedRows.kind), col(ChangedRows.instant)): _*)
    } else {
      val left = IncrementalQuery(from, Some(to)).of(session, table)
      frame(DataSourceV2Relation.create(left, None, None))
        .select(columnsOf(table.schemaAt(left.increment.snapshot)): _*)
    }

  /** The table's columns where it had those; what was added since is null.
    * Errors: HUDILITE_STREAM_STOPPED where others have their places by now. */
  private def columnsOf(known: StructType): Seq[Column] = {
    val isOlder = known.map(f => (f.name, f.dataType)) ==
      table.schema.take(known.length).map(f => (f.name, f.dataType))
    if (!isOlder)
      throw ChangeStream.stopped(
        table.basePath.toString,
        "columns were renamed, dropped or widened after the commits that come next",
        "Start a stream with a checkpoint of its own."
      )
    table.schema.zipWithIndex.map { case (field, at) =>
      if (at < known.length) col(s"`${field.name.replace("`", "``")}`")
      else lit(null).cast(field.dataType).as(field.name)
    }
  }

  private def relation(of: HudiliteTable): DataFrame =
    frame(DataSourceV2Relation.create(of, None, None))

  private def frame(plan: LogicalPlan): DataFrame = PlanFrame.of(session, plan)
}
