package hudilite.spark.verify

import scala.util.control.NonFatal

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{DeleteRecords, LogBlock}
import hudilite.verify.{Finding, TableCheck}
import hudilite.view.AdmittedBlocks

/** Rows of one base or log file as they are stored, read for checks. Runs in a task. */
object StoredRows {

  /** Returns the faults of the rows: one finding per code, with the number of rows and a sample
    * key. */
  def findings(
      facts: RowCheckFacts,
      file: TableCheck.CheckedSlice,
      footer: FileFooter
  ): Seq[Finding] = {
    val faults = new RowFaults(file.place)
    try {
      val check = new RowCheck(facts, file.slice, RowCheck.ofBase(file, footer), faults)
      checkAll(facts, check, facts.whole.openRows(file.slice))
      faults.findings
    } catch {
      case NonFatal(e) if !TaskContext.get().isInterrupted() =>
        faults.findings :+ Finding.error(unreadable, file.place, FileFooter.firstLine(e))
    }
  }

  /** Returns the faults of the rows and deletions of one block of a log file.
    * @param file   slice of the log file
    * @param name   path of the log file relative to the table
    * @param pairs  key-value pairs in the footer of a Parquet block */
  def ofBlock(
      facts: RowCheckFacts,
      file: TableCheck.CheckedSlice,
      name: String,
      found: AdmittedBlocks.InFile,
      pairs: Map[String, String]
  ): Seq[Finding] = {
    val faults = new RowFaults(name)
    try {
      val check = new RowCheck(facts, file.slice, RowCheck.ofBlock(found.block, pairs), faults)
      if (found.block.kind == LogBlock.delete)
        DeleteRecords.read(found.block.buffer, found.file)
          .foreach(record => check.checkBucket(UTF8String.fromString(record.key)))
      else checkAll(facts, check, facts.whole.openBlock(file.slice, found))
      faults.findings
    } catch {
      case NonFatal(e) if !TaskContext.get().isInterrupted() =>
        faults.findings :+ Finding.error(unreadable, name, FileFooter.firstLine(e))
    }
  }

  private def checkAll(
      facts: RowCheckFacts,
      check: RowCheck,
      rows: PartitionReader[InternalRow]
  ): Unit =
    try while (rows.next()) if (facts.config.hasMetaFields) check(rows.get())
    finally rows.close()

  /** Returns a finding if base and log files of a slice cannot be merged. */
  def merged(facts: RowCheckFacts, file: TableCheck.CheckedSlice): Option[Finding] =
    try {
      val rows = facts.keysOnly.openRows(file.slice)
      try while (rows.next()) ()
      finally rows.close()
      None
    } catch {
      case NonFatal(e) if !TaskContext.get().isInterrupted() =>
        Some(Finding.error(unreadable, file.place, FileFooter.firstLine(e)))
    }

  /** Code of the finding for a file whose rows cannot be read to the end. */
  val unreadable = "ROWS_UNREADABLE"

  /** Returns the record keys without null and empty ones, which have a separate finding,
    * KEY_MISSING. */
  def keys(facts: RowCheckFacts, file: TableCheck.CheckedSlice): Iterator[String] = {
    val rows = facts.keysOnly.openRows(file.slice)
    TaskContext.get().addTaskCompletionListener[Unit](_ => rows.close())
    Iterator
      .continually(rows.next())
      .takeWhile(identity)
      .map(_ => rows.get())
      .filter(!_.isNullAt(0))
      .map(_.getString(0))
      .filter(_.nonEmpty)
  }

}
