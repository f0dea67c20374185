package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, LongType, StringType, StructType}

import hudilite.service.Retention
import hudilite.spark.exec.CleanAfterWrite
import hudilite.spark.meta.MetadataRows

/** Procedure that deletes the base and log files which belong to no retained snapshot:
  * `CALL clean(table => 'db.t' [, retain_commits => 10] [, retain_hours => 168]
  * [, dry_run => true])`.
  * Retained are the snapshots of the latest commits, and those that were the latest at some time
  * within the hours. Files of savepoints are kept.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID if `retain_hours` is so short that a
  * running query may outlive it, unless `allow_short_retention` is true; HUDILITE_CORRUPT_TIMELINE,
  * HUDILITE_UNSAFE_STORAGE.
  * Source: hudi-format §3.11; faults F29. */
final class Clean(catalog: TableCatalog) extends Procedure {

  override def name: String = "clean"
  override def purpose: String =
    "Deletes old base and log files, except those that the latest commits or the last hours need."
  override def example: String =
    "CALL clean(table => 'db.t', retain_commits => 20, dry_run => true)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional(
      "retain_commits",
      "number of latest commits whose files are kept, 1 or more",
      IntegerType,
      value = Retention.commits.toString
    ),
    Procedure.optional(
      "retain_hours",
      s"hours for which all files are kept, ${Retention.leastHours} or more",
      IntegerType,
      value = Retention.leastHours.toString
    ),
    Procedure.optional("dry_run", "whether to only count the files", BooleanType, "false"),
    Procedure.optional(
      "allow_short_retention",
      "whether retain_hours may be less; older queries that still run then fail",
      BooleanType,
      "false"
    )
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val commits = arguments.number(1, "retain_commits", 1)
    val hours = arguments.number(2, "retain_hours", 0)
    val isDry = arguments.flag(3, "dry_run")
    if (hours < Retention.leastHours && !arguments.flag(4, "allow_short_retention"))
      throw arguments.invalid("retain_hours", hours.toString, Clean.fix)
    val table = arguments.writableTable(0, "table")
    val cleaner = CleanAfterWrite.cleaner(table)
    val retention = Retention(commits, hours)
    val done = if (isDry) cleaner.look(retention) else cleaner.run(retention)
    val row = MetadataRows.row(
      done.instant,
      done.earliest,
      done.deleted.size,
      done.deleted.map(_.length).sum,
      done.saved,
      isDry
    )
    Result.of(Clean.schema, Seq(row))
  }
}

object Clean {
  private val fix =
    s"Write a number that is at least ${Retention.leastHours}. If no query is running that " +
      "began earlier, add allow_short_retention => true."

  private val schema: StructType = new StructType()
    .add("clean_instant", StringType)
    .add("earliest_retained", StringType)
    .add("files_deleted", IntegerType, nullable = false)
    .add("bytes_deleted", LongType, nullable = false)
    .add("files_kept_by_savepoints", IntegerType, nullable = false)
    .add("dry_run", BooleanType, nullable = false)
}
