package hudilite.spark.verify

import scala.util.control.NonFatal

import org.apache.spark.TaskContext

import hudilite.verify.{Finding, TableCheck}

/** Rows of one base file as they are stored, read for checks. Runs in a task. */
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
      val check = new RowCheck(facts, file, footer, faults)
      val rows = facts.whole.openRows(file.slice)
      try while (rows.next()) if (facts.config.hasMetaFields) check(rows.get())
      finally rows.close()
      faults.findings
    } catch {
      case NonFatal(e) if !TaskContext.get().isInterrupted() =>
        faults.findings :+ Finding.error(unreadable, file.place, FileFooter.firstLine(e))
    }
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
