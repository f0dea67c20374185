package hudilite.spark.stream

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.types.{StringType, StructField, StructType}

import hudilite.format.MetaFields
import hudilite.spark.catalog.{HudiliteTable, IncrementalQuery, TablePath, TimeTravel}
import hudilite.spark.read.ChangedRows
import hudilite.view.{ChangedFiles, ChangesBetween}

/** Plans the rows of one streaming batch: the changes of a range of commits (driver side).
  * @param table      table at its latest commit
  * @param withKinds whether each row has the kind of its change and the instant of its commit */
private[stream] final class CommitRange(
    session: SparkSession,
    table: HudiliteTable,
    withKinds: Boolean
) {

  /** Columns of the table, then `_change_type` and `_commit_instant` if `withKinds` is set.
    * Errors: HUDILITE_UNSUPPORTED_TABLE if the rows do not tell which commit changed them. */
  def schema: StructType = {
    table.config.checkTellsChanges(table.basePath.toString)
    val columns = relation(table).schema
    if (withKinds)
      StructType(columns.map(_.copy(nullable = true)))
        .add(StructField(ChangedRows.kind, StringType))
        .add(StructField(ChangedRows.instant, StringType))
    else columns
  }

  /** Returns all rows of the table as of a commit, each as an insert. */
  def whole(instant: String): DataFrame = {
    val earlier =
      TablePath.open(session, Seq(table.basePath.toString), Some(TimeTravel.Version(instant)))
    val rows = relation(earlier)
    val kinds = Seq(
      lit(ChangedRows.Insert).as(ChangedRows.kind),
      col(MetaFields.CommitTime).as(ChangedRows.instant)
    )
    rows.select(columnsOf(earlier.schema, instant) ++ kinds.filter(_ => withKinds): _*)
  }

  /** Returns the changes of the commits after `from`, up to and including `to`; None if they change no
    * rows, whatever columns the table had meanwhile.
    * @param from instant of a commit; "": from the first commit on
    * @param to   instant of the last commit
    * Errors: HUDILITE_VERSION_NOT_FOUND, HUDILITE_SNAPSHOT_EXPIRED. */
  def between(from: String, to: String): Option[DataFrame] =
    if (withKinds) {
      val changes = ChangesBetween.of(table.timeline, table.config,
        Option(from).filter(_.nonEmpty), Some(to))
      Option.when(!changes.keepRows) {
        val last = changes.last.getOrElse(table.snapshot)
        val known = table.schemaAt(last)
        val kinds = Seq(col(ChangedRows.kind), col(ChangedRows.instant))
        frame(ChangedRows.plan(session, table.name, known, last, changes))
          .select(columnsOf(known, to) ++ kinds: _*)
      }
    } else {
      val left = IncrementalQuery(from, Some(to)).of(session, table)
      Option.when(!left.increment.keepsRows) {
        frame(DataSourceV2Relation.create(left, None, None))
          .select(columnsOf(table.schemaAt(left.increment.snapshot), to): _*)
      }
    }

  /** Returns the table's current columns for rows of an older schema; added columns are null.
    * @param last instant of the last commit with the older schema
    * Errors: HUDILITE_STREAM_STOPPED if the current schema does not have the older columns, in their
    * order, or if a column was renamed, dropped or widened since: a new one may have its name. */
  private def columnsOf(known: StructType, last: String): Seq[Column] = {
    def isKnown(field: StructField) = known.fieldNames.contains(field.name)
    def facts(columns: Seq[StructField]) =
      ChangeStream.facts(StructType(columns)).map(f => (f.name, f.dataType))
    val isOlder = facts(known) == facts(table.schema.filter(isKnown)) &&
      (table.snapshot.lastInstant.contains(last) ||
        !ChangedFiles.hasChangedColumns(table.timeline, last))
    if (!isOlder)
      throw ChangeStream.stopped(
        table.basePath.toString,
        "columns were renamed, dropped, widened or moved, or given fields, after the next commits to read",
        "Start the query with a new checkpoint location."
      )
    table.schema.map { field =>
      if (isKnown(field)) col(quoteIdentifier(field.name))
      else lit(null).cast(field.dataType).as(field.name)
    }
  }

  private def relation(of: HudiliteTable): DataFrame =
    frame(DataSourceV2Relation.create(of, None, None))

  private def frame(plan: LogicalPlan): DataFrame = PlanFrame.of(session, plan)
}
