package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType, StructType}

import hudilite.service.ActiveLimits
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.exec.ArchiveAfterWrite
import hudilite.spark.meta.MetadataRows

/** Procedure that moves the oldest commits of a table from its timeline to Hudi's archive:
  * `CALL archive(table => 'db.t' [, keep_min => 20] [, keep_max => 30] [, dry_run => true]
  * [, keep_checkpoints => false])`.
  * Nothing is moved while the timeline has no more than `keep_max` commits. A savepoint, a pending
  * write, a file that a replacecommit hid and no clean has deleted, the states that the table's
  * automatic clean keeps, and the checkpoint of a program of stock Hudi stop the archival before
  * their commit.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID unless `keep_max` is more than
  * `keep_min`; HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE.
  * Source: hudi-format §3.13, §7.2. */
final class Archive(catalog: TableCatalog) extends Procedure {

  override def name: String = "archive"
  override def purpose: String =
    "Moves the oldest commits from the timeline to Hudi's archive. VERSION AS OF no longer shows them."
  override def example: String =
    "CALL archive(table => 'db.t', keep_min => 50, keep_max => 60)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional(
      "keep_min",
      "number of latest commits that stay, 1 or more",
      IntegerType,
      value = ActiveLimits.least.toString
    ),
    Procedure.optional(
      "keep_max",
      "number of commits up to which nothing is moved, more than keep_min",
      IntegerType,
      value = ActiveLimits.most.toString
    ),
    Procedure.optional("dry_run", "whether to only count the commits", BooleanType, "false"),
    Procedure.optional(
      "keep_checkpoints",
      "whether commits stay from which Hudi Streamer and streaming queries of Hudi resume",
      BooleanType,
      "true"
    )
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val least = arguments.number(1, "keep_min", 1)
    val most = arguments.number(2, "keep_max", least + 1)
    val isDry = arguments.flag(3, "dry_run")
    val limits = ActiveLimits(least, most, arguments.flag(4, "keep_checkpoints"))
    Archive.run(arguments.writableTable(0, "table"), limits, isDry)
  }
}

private[procedures] object Archive {
  private val schema: StructType = new StructType()
    .add("commits_archived", IntegerType, nullable = false)
    .add("other_actions_archived", IntegerType, nullable = false)
    .add("first_archived", StringType)
    .add("last_archived", StringType)
    .add("stopped_by", StringType)
    .add("dry_run", BooleanType, nullable = false)

  /** Archives commits, or only counts them, and returns the row of the result. */
  def run(table: HudiliteTable, limits: ActiveLimits, isDry: Boolean): JavaIterator[Scan] = {
    val archiver = ArchiveAfterWrite.of(table)
    val done = if (isDry) archiver.look(limits) else archiver.run(limits)
    val row = MetadataRows.row(
      done.commits.size,
      done.others.size,
      done.commits.headOption.map(_.time),
      done.commits.lastOption.map(_.time),
      done.stoppedBy,
      isDry
    )
    Result.of(schema, Seq(row))
  }
}
