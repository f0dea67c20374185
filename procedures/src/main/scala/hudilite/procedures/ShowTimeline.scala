package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{
  IntegerType,
  LongType,
  StringType,
  StructType,
  TimestampType
}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.timeline.{CommitMetadata, TimelineEntry}

/** `CALL show_timeline(table => 'db.t', limit => 10)`: the active timeline of a table, latest
  * instant first.
  *
  * Errors: those of [[Arguments]]; HUDILITE_CORRUPT_TIMELINE. Archived instants are not shown.
  */
final class ShowTimeline(catalog: TableCatalog) extends Procedure {

  override def name: String = "show_timeline"
  override def description: String =
    "Instants of a table's active timeline, latest first, and what each has written."

  override def parameters: Array[ProcedureParameter] = Array(
    ProcedureParameter.in("table", StringType).comment("name of the table").build(),
    ProcedureParameter
      .in("limit", IntegerType)
      .defaultValue("10")
      .comment("instants to show, 1 or more")
      .build()
  )

  override def call(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val limit = arguments.limit(1, "limit")
    val table = arguments.table(0, "table")
    val latest = TimelineEntry.load(table.storage, table.basePath).reverse.take(limit)
    Result.of(ShowTimeline.schema, latest.map(ShowTimeline.row))
  }
}

object ShowTimeline {

  private val schema: StructType = new StructType()
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

  private val microsPerMilli = 1000L

  private def row(entry: TimelineEntry): InternalRow = {
    val known = entry.metadata
    val facts = Seq[Any](
      text(entry.instant.time),
      text(entry.instant.action),
      text(entry.instant.state.toString.toUpperCase),
      entry.number.orNull,
      known.map(_.operationType).filter(_.nonEmpty).map(text).orNull,
      entry.requestedMillis.map(_ * microsPerMilli).orNull,
      entry.completedMillis.map(_ * microsPerMilli).orNull
    )
    InternalRow.fromSeq(facts ++ counts.map(count => known.map(count).orNull))
  }

  private val counts: Seq[CommitMetadata => Long] = Seq(
    _.stats.size.toLong,
    _.replacedFileIds.values.map(_.size.toLong).sum,
    _.stats.map(_.numWrites).sum,
    _.stats.map(_.numInserts).sum,
    _.stats.map(_.numUpdateWrites).sum,
    _.stats.map(_.numDeletes).sum,
    _.stats.map(_.fileSizeInBytes).sum
  )

  private def text(value: String): UTF8String = UTF8String.fromString(value)
}
