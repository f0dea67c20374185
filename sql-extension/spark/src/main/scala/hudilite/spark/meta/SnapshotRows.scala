package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.types.{LongType, MapType, StringType, StructType, TimestampType}

import hudilite.commit.TimelineEntry
import hudilite.spark.catalog.HudiliteTable
import hudilite.timeline.Instant

/** Rows of the metadata table `t.snapshots`: the completed writes of the active timeline, with
  * Iceberg's names of columns. */
object SnapshotRows {

  /** `snapshot_id` is the instant of a write as a number, which VERSION AS OF accepts; `summary`
    * contains what the write counts. */
  val schema: StructType = new StructType()
    .add("committed_at", TimestampType)
    .add("snapshot_id", LongType, nullable = false)
    .add("parent_id", LongType)
    .add("operation", StringType)
    .add("summary", MapType(StringType, StringType, valueContainsNull = false))

  private val microsPerMilli = 1000L

  /** Returns one row for each completed write, the oldest first.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def of(table: HudiliteTable): Seq[InternalRow] = {
    val entries = TimelineEntry.load(table.timeline, wanted = isSnapshot)
    val parents = None +: entries.map(entry => Some(idOf(entry.instant)))
    entries.zip(parents).map { case (entry, parent) =>
      MetadataRows.row(
        entry.completedMillis.map(_ * microsPerMilli),
        idOf(entry.instant),
        parent,
        entry.metadata.map(_.operationType).filter(_.nonEmpty),
        summary(entry)
      )
    }
  }

  /** Id of a write. */
  def idOf(write: Instant): Long = write.time.toLong

  private def isSnapshot(instant: Instant): Boolean =
    instant.isWrite && instant.state == Instant.Completed

  private def summary(entry: TimelineEntry): Option[ArrayBasedMapData] =
    entry.metadata.map { known =>
      val counted = HistoryRows.counts.map { case (name, count) => name -> count(known).toString }
      ArrayBasedMapData(
        counted.toMap,
        MetadataRows.inRow,
        MetadataRows.inRow
      )
    }
}
