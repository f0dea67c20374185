package hudilite.spark.exec

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import hudilite.spark.merge.{MergeResult, RowGroupCounts}
import hudilite.spark.write.{NoCopy, PhaseMillis}
import hudilite.timeline.CommitMetadata
import hudilite.view.FileSlice

/** Metrics of a write statement, for the Spark UI and for its commit (driver side).
  *
  * Computed from the task results that are committed. Failed or speculative attempts, and runs that
  * conflicted, do not count, as they would in an accumulator.
  * Sources: Delta's `operationMetrics` and Iceberg's snapshot summary name the same things.
  *
  * @param fileGroupsTouched file groups that were looked at, created or hidden
  * @param fileGroups        file groups that the touched partitions had, and those created
  * @param filesOpened       old base files that were merged or searched
  * @param bytesRead         bytes read from them, by Hadoop's statistics
  * @param bytesWritten      length of the new base files
  * @param rowsCopied        rows carried into a new file unchanged
  * @param rowsUpdated       rows changed, including those moved to another partition
  * @param rowsDeleted       rows removed
  * @param rowsUpserted      rows that were inserted or updated, or were older than those of the table;
  *                          which one is not known
  * @param keysDeleted       keys whose rows are deleted if there are any
  * @param rowsSkipped       source rows that changed nothing
  * @param retries           conflicts with newer commits, after each of which it ran again
  * @param rowGroups         numbers of the new files' row groups, by how they were written
  * @param millis            how long its phases took
  * @param notCopied         base files of which no bytes were copied, by reason
  */
final case class WriteMetrics(
    fileGroupsTouched: Long,
    fileGroups: Long,
    filesOpened: Long,
    filesWritten: Long,
    bytesRead: Long,
    bytesWritten: Long,
    rowsCopied: Long,
    rowsUpdated: Long,
    rowsInserted: Long,
    rowsDeleted: Long,
    rowsUpserted: Long,
    keysDeleted: Long,
    rowsSkipped: Long,
    retries: Long,
    rowGroups: RowGroupCounts,
    notCopied: Map[String, Long],
    millis: PhaseMillis
) {

  /** Returns the key-value pairs of the commit's extra metadata. */
  def extra: Map[String, String] = WriteMetrics.all.map { metric =>
    s"${CommitMetadata.metrics}${metric.name}" -> metric.of(this).toString
  }.toMap

  /** Sets the Spark UI metrics of an operator, made by [[WriteMetrics.create]]. */
  def show(metrics: Map[String, SQLMetric]): Unit =
    WriteMetrics.all.foreach(metric => metrics(metric.name).set(metric.of(this)))

  /** Returns the row counts of the statement's result: affected, updated, deleted and inserted; None for
    * one that is not known, because the table was not read.
    * @param mayBeOlder whether a source row changes nothing if the table has a newer row of its key */
  def answer(mayBeOlder: Boolean): Seq[Option[Long]] = Seq(
    Option.when(keysDeleted == 0 && !(mayBeOlder && rowsUpserted > 0))(
      rowsUpdated + rowsDeleted + rowsInserted + rowsUpserted
    ),
    Option.when(rowsUpserted == 0)(rowsUpdated),
    Option.when(keysDeleted == 0)(rowsDeleted),
    Option.when(rowsUpserted == 0)(rowsInserted)
  )
}

object WriteMetrics {

  final private case class Metric(
      name: String,
      text: String,
      of: WriteMetrics => Long,
      create: (SparkContext, String) => SQLMetric = SQLMetrics.createMetric(_, _)
  )

  private val all: Seq[Metric] = Seq(
    Metric("numFileGroupsTouched", "file groups touched", _.fileGroupsTouched),
    Metric("numFileGroups", "file groups of the touched partitions", _.fileGroups),
    Metric("numFilesOpened", "base files opened", _.filesOpened),
    Metric("numFilesWritten", "base files written", _.filesWritten),
    Metric("bytesRead", "bytes read", _.bytesRead, SQLMetrics.createSizeMetric(_, _)),
    Metric("bytesWritten", "bytes written", _.bytesWritten, SQLMetrics.createSizeMetric(_, _)),
    Metric("numRowsCopied", "rows copied", _.rowsCopied),
    Metric("numRowsUpdated", "rows updated", _.rowsUpdated),
    Metric("numRowsInserted", "rows inserted", _.rowsInserted),
    Metric("numRowsDeleted", "rows deleted", _.rowsDeleted),
    Metric("numRowsUpserted", "rows inserted or updated", _.rowsUpserted),
    Metric("numKeysDeleted", "keys deleted", _.keysDeleted),
    Metric("numSourceRowsSkipped", "source rows skipped", _.rowsSkipped),
    Metric("numRetries", "retries", _.retries),
    Metric("numRowGroupsCopied", "row groups copied", _.rowGroups.copied),
    Metric(
      "numRowGroupsPartlyCopied",
      "row groups of which columns were copied",
      _.rowGroups.partlyCopied
    ),
    Metric("numRowGroupsByColumns", "row groups encoded by columns", _.rowGroups.byColumns),
    Metric("numRowGroupsByRows", "row groups encoded by rows", _.rowGroups.byRows)
  ) ++ NoCopy.all.map { why =>
    Metric(
      s"numFilesNotCopied${why.word.capitalize}",
      s"base files of which nothing was copied: ${why.word}",
      _.notCopied.getOrElse(why.word, 0L)
    )
  } ++ Seq(
    phase(PhaseMillis.Planning, "planning time", _.planning),
    phase(PhaseMillis.Tagging, "time of reading and tagging the source", _.tagging),
    phase(PhaseMillis.Merging, "time of merging and writing files", _.merging),
    phase(
      PhaseMillis.Committing,
      "time of committing, until the metadata are complete",
      _.committing
    )
  )

  private def phase(name: String, text: String, of: PhaseMillis => Long): Metric =
    Metric(name, text, metrics => of(metrics.millis), SQLMetrics.createTimingMetric(_, _))

  /** Returns new metrics of an operator, by name. */
  def create(context: SparkContext): Map[String, SQLMetric] =
    all.map(metric => metric.name -> metric.create(context, metric.text)).toMap

  /** @param result  result of the attempt that is committed
    * @param hidden  file groups replaced as a whole; none of them is read
    * @param deleted rows of the hidden file groups, if the statement wrote no file; otherwise 0
    * @param leftOut source rows whose key is in no file group and that were not to be inserted
    */
  def of(
      result: MergeResult,
      hidden: Seq[FileSlice],
      deleted: Long,
      leftOut: Long,
      retries: Int,
      millis: PhaseMillis
  ): WriteMetrics = {
    val fileGroups = result.fileGroups.filter(g => g.fileName.nonEmpty || g.prevCommit.nonEmpty)
    val written = fileGroups.filter(_.fileName.nonEmpty)
    val found = fileGroups.groupMapReduce(_.partition)(_.partitionFileGroups)((a, b) => a max b)
    val made = written.count(_.prevCommit.isEmpty)
    val moved = fileGroups.map(_.movedOut).sum
    val counts = result.counts
    WriteMetrics(
      fileGroupsTouched = fileGroups.size.toLong + hidden.size,
      fileGroups = found.values.sum + made + hidden.size,
      filesOpened = counts.filesOpened,
      filesWritten = written.size.toLong,
      bytesRead = counts.bytesRead,
      bytesWritten = written.map(_.fileBytes).sum,
      rowsCopied = written.map(g => g.rows - g.inserts - g.updates - g.upserts).sum,
      rowsUpdated = fileGroups.map(_.updates).sum + moved,
      rowsInserted = fileGroups.map(_.inserts).sum - fileGroups.map(_.movedIn).sum,
      rowsDeleted = fileGroups.map(_.deletes).sum - moved + deleted,
      rowsUpserted = fileGroups.map(_.upserts).sum,
      keysDeleted = fileGroups.map(_.deletions).sum,
      rowsSkipped = counts.keyed + counts.keyless - counts.changing + leftOut,
      retries = retries.toLong,
      rowGroups = written.map(_.rowGroups).foldLeft(RowGroupCounts.none)(_ + _),
      notCopied = written.flatMap(_.noCopy).groupMapReduce(identity)(_ => 1L)(_ + _),
      millis = millis
    )
  }
}
