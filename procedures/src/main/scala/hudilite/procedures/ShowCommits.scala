package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.ExtractV2Table
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.spark.catalog.HudiliteTable
import hudilite.view.TableSnapshot

/** `CALL show_commits(table => 'db.t', limit => 10)`: the commits of a table, latest first.
  *
  * Errors: HUDILITE_UNSUPPORTED_STATEMENT for a table that is none of ours; Spark's own for a table
  * that is not there. Archived commits are not shown.
  */
final class ShowCommits extends UnboundProcedure with BoundProcedure {

  override def name: String = "show_commits"
  override def description: String = "Commits of a table, latest first."
  override def bind(inputType: StructType): BoundProcedure = this
  override def isDeterministic: Boolean = false

  override def parameters: Array[ProcedureParameter] = Array(
    ProcedureParameter.in("table", StringType).comment("name of the table").build(),
    ProcedureParameter
      .in("limit", IntegerType)
      .defaultValue("10")
      .comment("commits to show, 1 or more")
      .build()
  )

  override def call(input: InternalRow): JavaIterator[Scan] = {
    val snapshot = ShowCommits.table(input.getString(0)).snapshot
    val latest = snapshot.instants.reverse.take(input.getInt(1))
    Result.of(ShowCommits.schema, latest.flatMap(ShowCommits.row(snapshot, _)))
  }
}

object ShowCommits {

  private val schema: StructType = new StructType()
    .add("instant", StringType, nullable = false)
    .add("operation", StringType, nullable = false)
    .add("files_written", LongType, nullable = false)
    .add("rows_written", LongType, nullable = false)
    .add("rows_inserted", LongType, nullable = false)
    .add("rows_updated", LongType, nullable = false)
    .add("rows_deleted", LongType, nullable = false)
    .add("bytes_written", LongType, nullable = false)

  private def table(name: String): HudiliteTable =
    SparkSession.active.table(name).queryExecution.analyzed.collectFirst {
      case ExtractV2Table(table: HudiliteTable) => table
    }.getOrElse {
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> "CALL show_commits",
        "table" -> name,
        "fix" -> "Name a table that was created with USING hudilite."
      )
    }

  private def row(snapshot: TableSnapshot, instant: String): Option[InternalRow] =
    snapshot.metadata(instant).map { commit =>
      val stats = commit.stats
      InternalRow(
        UTF8String.fromString(instant),
        UTF8String.fromString(commit.operationType),
        stats.size.toLong,
        stats.map(_.numWrites).sum,
        stats.map(_.numInserts).sum,
        stats.map(_.numUpdateWrites).sum,
        stats.map(_.numDeletes).sum,
        stats.map(_.fileSizeInBytes).sum
      )
    }
}
