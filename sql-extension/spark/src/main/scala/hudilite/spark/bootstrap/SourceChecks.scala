package hudilite.spark.bootstrap

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.spark.bootstrap.SourceInspection.{DuplicateKey, Inspected}

/** Checks of inspected source files. Runs on the driver.
  * @param files in the order of their ordinals */
final class SourceChecks(layout: BootstrapLayout, files: Seq[PlacedFile]) {
  private val request = layout.request

  /** Fails if the files cannot become a table.
    * @param duplicates finds the keys that occur more than once; called if there is no other fault
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID, HUDILITE_KEY_COLUMN_INVALID, HUDILITE_NULL_KEY,
    * HUDILITE_KEY_VALUE_INVALID, HUDILITE_DUPLICATE_KEY. */
  def check(inspected: Inspected, duplicates: Inspected => RDD[DuplicateKey]): Unit = {
    val faults = inspected.reports.flatMap(report => report.fault.map(report -> _))
    faults.foreach { case (report, fault) => checkReadable(files(report.ordinal).path, fault) }
    checkNulls(inspected.reports)
    faults.collectFirst { case (report, FileFault.InvalidKey(column, reason)) =>
      throw HudiliteException(
        "HUDILITE_KEY_VALUE_INVALID",
        "column" -> column,
        "table" -> request.name,
        "reason" -> s"$reason (file ${files(report.ordinal).path})"
      )
    }
    if (faults.size == files.size)
      throw invalid("all of its files are empty", "Create an empty table with CREATE TABLE.")
    checkDuplicates(duplicates(inspected))
  }

  private def checkReadable(path: String, fault: FileFault): Unit = fault match {
    case FileFault.Unreadable(reason) if !request.skipsCorrupt =>
      throw BootstrapSource.unreadable(request.source, path, reason)
    case FileFault.NoKeyColumn(column, reason) =>
      throw HudiliteException(
        "HUDILITE_KEY_COLUMN_INVALID",
        "table" -> request.name,
        "column" -> column,
        "reason" -> s"file $path: $reason"
      )
    case _ => ()
  }

  private def checkNulls(reports: Seq[FileReport]): Unit = {
    val counts = reports.map(_.nulls).filter(_.nonEmpty)
    val columns = layout.declaration(layout.columns).keyFields
    val lacking = columns.indices.map(i => columns(i) -> counts.map(_(i)).sum).filter(_._2 > 0)
    if (lacking.nonEmpty)
      throw HudiliteException(
        "HUDILITE_NULL_KEY",
        "table" -> request.name,
        "column" -> lacking.map { case (column, n) => s"$column ($n rows)" }.mkString(", ")
      )
  }

  private def checkDuplicates(duplicates: RDD[DuplicateKey]): Unit = {
    val keys = duplicates.map(_.key).takeOrdered(SourceChecks.named).toSeq
    if (keys.nonEmpty) {
      val count = duplicates.count()
      val shown = keys.mkString(", ")
      throw HudiliteException(
        "HUDILITE_DUPLICATE_KEY",
        "table" -> request.name,
        "keys" -> (if (count > keys.size) s"$shown and others, $count in all" else shown)
      )
    }
  }

  /** Merges the columns of all files that have no fault.
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID if two files have conflicting columns. */
  def columns(reports: Seq[FileReport]): StructType = {
    val readable = reports.filter(_.fault.isEmpty)
    val others = readable.flatMap(r => r.columns.map(_ -> r)).distinctBy(_._1)
    val first = readable.find(_.columns.isEmpty)
    others.foldLeft(layout.columns) { case (all, (columns, report)) =>
      SourceColumns.merged(all, columns) match {
        case Right(more) => more
        case Left(conflict) =>
          val here = layout.files(report.ordinal).path
          val there = first.fold(layout.files.head.path)(r => layout.files(r.ordinal).path)
          throw invalid(s"its files $there and $here have different schemas: ${conflict.text}",
            "Convert them to one schema, or bootstrap them as separate tables.")
      }
    }
  }

  /** Fails if an ordering field of a merge-on-read table is NULL in a row of an adopted file: readers
    * compare it with those of log files. Rewritten rows are checked when they are written. May start a
    * Spark job.
    * @param columns columns of all files
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID. */
  def checkOrdering(session: SparkSession, columns: StructType, reports: Seq[FileReport]): Unit = {
    val fields =
      if (request.isMergeOnRead) layout.declaration(columns).orderingFields else Nil
    val adopted = files.filter(file => file.isAdopted && reports(file.ordinal).fault.isEmpty)
    if (fields.nonEmpty && adopted.nonEmpty) {
      val rows =
        SourceRows.of(session, layout.source, adopted.map(f => layout.files(f.ordinal)), columns)
      fields.find(name => !rows.where(col(quoteIdentifier(name)).isNull).isEmpty).foreach { name =>
        throw invalid(
          s"$name, an ordering field of the merge-on-read table, is NULL in a row: readers compare " +
            "the values with those of log files",
          "Write another ordering_field or none, or type => 'cow'."
        )
      }
    }
  }

  private def invalid(reason: String, fix: String): HudiliteException =
    BootstrapSource.invalid(request.source, reason, fix)
}

object SourceChecks {

  /** Maximum number of keys in an error message. */
  private val named = 10
}
