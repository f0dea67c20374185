package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{
  BooleanType,
  LongType,
  StringType,
  StructType,
  TimestampType
}

import hudilite.commit.TimelineEntry
import hudilite.spark.catalog.HudiliteTable
import hudilite.timeline.{CommitMetadata, Instant}

/** Rows of the metadata table `t.history`: the active timeline of a table. */
object HistoryRows {

  val schema: StructType = new StructType()
    .add("instant", StringType, nullable = false)
    .add("action", StringType, nullable = false)
    .add("state", StringType, nullable = false)
    .add("commit_number", LongType)
    .add("operation", StringType)
    .add("requested_time", TimestampType)
    .add("completed_time", TimestampType)
    .add("files_written", LongType)
    .add("file_groups_replaced", LongType)
    .add("rows_written", LongType)
    .add("rows_inserted", LongType)
    .add("rows_updated", LongType)
    .add("rows_deleted", LongType)
    .add("bytes_written", LongType)

  /** `snapshot_id` is the instant of a completed write, and NULL for other instants. */
  val hidden: Seq[HiddenColumn] = Seq(
    HiddenColumn.same("made_current_at", schema, "completed_time"),
    HiddenColumn("snapshot_id", LongType, row => snapshotOf(row).getOrElse(null)),
    HiddenColumn("is_current_ancestor", BooleanType, snapshotOf(_).nonEmpty)
  )

  private def snapshotOf(row: InternalRow): Option[Long] = {
    val instant = Instant(row.getString(0), row.getString(1), Instant.Completed)
    Option.when(row.getString(2) == completed && instant.isWrite)(SnapshotRows.idOf(instant))
  }

  private val completed = Instant.Completed.toString.toUpperCase
  private val microsPerMilli = 1000L

  /** Returns one row for each instant, the latest first.
    * @param limit most rows to return
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def of(table: HudiliteTable, limit: Int = Int.MaxValue): Seq[InternalRow] =
    TimelineEntry.load(table.timeline, limit).reverse.map(row)

  private def row(entry: TimelineEntry): InternalRow = {
    val known = entry.metadata
    val facts = Seq[Any](
      entry.instant.time,
      entry.instant.action,
      entry.instant.state.toString.toUpperCase,
      entry.number,
      known.map(_.operationType).filter(_.nonEmpty),
      entry.requestedMillis.map(_ * microsPerMilli),
      entry.completedMillis.map(_ * microsPerMilli)
    )
    MetadataRows.row(facts ++ counts.map { case (_, count) => known.map(count) }: _*)
  }

  /** Numbers of a commit, under the names of the columns that show them. */
  private[meta] lazy val counts: Seq[(String, CommitMetadata => Long)] =
    schema.fieldNames.toSeq.takeRight(ofCommit.size).zip(ofCommit)

  private lazy val ofCommit: Seq[CommitMetadata => Long] = Seq(
    _.stats.size.toLong,
    _.replacedFileIds.values.map(_.size.toLong).sum,
    _.stats.map(_.numWrites).sum,
    _.stats.map(_.numInserts).sum,
    _.stats.map(_.numUpdateWrites).sum,
    _.stats.map(_.numDeletes).sum,
    _.stats.map(_.fileSizeInBytes).sum
  )
}
