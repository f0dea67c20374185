package hudilite.procedures

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.FilePartition

import hudilite.spark.read.SliceReader
import hudilite.verify.{Finding, TableCheck}

/** Reads of all rows of one base file, for checks. Runs in a task. */
private[procedures] object RowPass {

  /** Returns the faults of the rows: one finding per code, with the number of rows and a sample
    * key. */
  def findings(facts: RowFacts, file: TableCheck.BaseFile, footer: FileFooter): Seq[Finding] = {
    val tally = new Tally(file.place)
    try {
      val check = new RowCheck(facts, file, footer, tally)
      val rows = open(facts.whole, file)
      try while (rows.next()) check(rows.get())
      finally rows.close()
      tally.findings
    } catch {
      case NonFatal(e) if !TaskContext.get().isInterrupted() =>
        tally.findings :+ Finding.error(unreadable, file.place, FileFooter.told(e))
    }
  }

  /** Code of the finding for a file whose rows cannot be read to the end. */
  val unreadable = "ROWS_UNREADABLE"

  /** Returns the record keys without null and empty ones, which have a separate finding,
    * KEY_MISSING. */
  def keys(facts: RowFacts, file: TableCheck.BaseFile): Iterator[String] = {
    val rows = open(facts.keysOnly, file)
    TaskContext.get().addTaskCompletionListener[Unit](_ => rows.close())
    Iterator
      .continually(rows.next())
      .takeWhile(identity)
      .map(_ => rows.get())
      .filter(!_.isNullAt(0))
      .map(_.getString(0))
      .filter(_.nonEmpty)
  }

  private def open(
      factory: PartitionReaderFactory,
      file: TableCheck.BaseFile
  ): PartitionReader[InternalRow] =
    factory.createReader(FilePartition(0, Array(SliceReader.partitionedFile(file.slice))))
}

/** Collector of the row faults of one file: for each code the first fault and the number of
  * rows. */
final private class Tally(place: String) {
  private val found = mutable.LinkedHashMap.empty[String, (Long, String, Option[String])]

  def add(code: String, key: => Option[String])(detail: => String): Unit =
    found.updateWith(code) {
      case Some((n, first, sample)) => Some((n + 1, first, sample))
      case None => Some((1L, detail, key))
    }: Unit

  def findings: Seq[Finding] = found.toSeq.map { case (code, (n, first, sample)) =>
    val rows = if (n == 1) "1 row" else s"$n rows, the first"
    Finding.error(code, place, s"$rows: $first", sample)
  }
}
