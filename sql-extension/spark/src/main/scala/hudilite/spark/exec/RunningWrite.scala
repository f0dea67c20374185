package hudilite.spark.exec

import org.apache.spark.sql.execution.SparkPlan

import hudilite.commit.Transaction
import hudilite.error.HudiliteException
import hudilite.format.PartitionPath
import hudilite.index.LookupCounts
import hudilite.io.Requests
import hudilite.spark.catalog.{BucketSizeWarning, CallText, HudiliteTable}
import hudilite.spark.error.Warnings
import hudilite.spark.locate.{LocatedRows, TargetPruning}
import hudilite.spark.merge.{FileGroupResult, MergeResult}
import hudilite.spark.write.{PendingWrite, PhaseMillis, WriteAttempt}
import hudilite.timeline.{CommitMetadata, FileGroupRef}
import hudilite.view.{Checkpoints, FileSlice, LostFile, PartitionMetafile}

/** Write statement that is being executed, from the beginning of its instant to its commit or abort
  * (driver side). Each execution has an object of its own, which alone owns the transaction.
  *
  * @param transaction open transaction that the tasks write under */
final class RunningWrite(statement: WriteStatement, transaction: Transaction) {
  import statement.{scans, snapshot, spec, table}

  private val config = table.config
  private val scope = ConflictScope.of(statement)

  /** Instant that the tasks write under. */
  val pending: PendingWrite =
    PendingWrite.of(table.name, table.timeline, transaction)

  /** Commits what the tasks wrote. A statement that changed nothing leaves no commit.
    *
    * @param located source rows with their file groups, in a table without buckets
    * @param retries conflicts with newer commits before this execution
    * @param phases  returns how long the phases took until now
    */
  def commit(
      result: MergeResult,
      located: Option[LocatedRows],
      retries: Int,
      phases: () => PhaseMillis
  ): WriteMetrics = {
    val written = result.fileGroups.filter(_.fileName.nonEmpty)
    removeLosers(result, written)
    val hidden = statement.replaced.fold(Map.empty[String, Seq[FileSlice]])(
      _.slices(written.map(_.partition).toSet)
    )
    val slices = hidden.values.flatten.toSeq
    enterPartitions(written)
    val metrics = WriteMetrics.of(
      result,
      slices,
      if (written.isEmpty) statement.replaced.fold(0L)(_.rows(slices)) else 0L,
      located.fold(0L)(_.sourceRows - result.counts.keyed),
      retries,
      phases()
    )
    if (written.isEmpty && hidden.isEmpty && table.added.isEmpty) abort()
    else publish(result, written, hidden, metrics)
    metrics
  }

  private def publish(
      result: MergeResult,
      written: Seq[FileGroupResult],
      hidden: Map[String, Seq[FileSlice]],
      metrics: WriteMetrics
  ): Unit = {
    val results = result.fileGroups
    val unchanged = results.filter(_.fileName.isEmpty).flatMap(scope.of)
    val read = TargetPruning.fileGroups(scans) ++ scope.absent(results) ++ unchanged
    val made = metadata(written, hidden, metrics.extra)
    if (table.added.nonEmpty) HudiliteTable.declare(table)
    val done = transaction.commit(made, touched(written, hidden), read)
    Checkpoints.afterCommit(table.timeline, table.config, done.number)
    statement.counts.filterNot(_.areMixed)
      .foreach(of => BucketSizeWarning.give(table, of.own, made.stats))
  }

  /** Returns references to what the commit writes or hides. */
  private def touched(
      written: Seq[FileGroupResult],
      hidden: Map[String, Seq[FileSlice]]
  ): Set[FileGroupRef] =
    written.flatMap(scope.of).toSet ++
      hidden.flatMap { case (partition, slices) =>
        slices.map(slice => FileGroupRef(partition, slice.fileId))
      } ++ statement.replaced.toSeq.flatMap(_.scope(hidden.keySet)) ++
      Option.when(table.added.nonEmpty)(FileGroupRef.wholeTable)

  /** Returns the commit metadata of what the tasks wrote, for a transaction that another write
    * commits. Covers new files only: it hides no file group.
    * @param operation operation of the commit
    * @param phases    as of `commit` */
  def prepared(
      result: MergeResult,
      operation: String,
      phases: () => PhaseMillis
  ): CommitMetadata = {
    val written = result.fileGroups.filter(_.fileName.nonEmpty)
    removeLosers(result, written)
    enterPartitions(written)
    val metrics = WriteMetrics.of(result, Nil, deleted = 0, leftOut = 0, retries = 0, phases())
    metadata(written, Map.empty, metrics.extra).copy(operationType = operation)
  }

  private def removeLosers(result: MergeResult, written: Seq[FileGroupResult]): Unit =
    transaction.removeLosers(
      result.fileGroups.map(_.partition).distinct,
      written.map(_.relativePath).toSet
    ): Unit

  private def enterPartitions(written: Seq[FileGroupResult]): Unit =
    Requests.of(written.filter(_.prevCommit.isEmpty).map(_.partition).distinct) { partition =>
      PartitionMetafile.write(
        table.storage,
        table.basePath,
        partition,
        transaction.instant,
        PartitionPath.depth(partition),
        config.hasParquetMetafiles
      )
    }: Unit

  private def metadata(
      written: Seq[FileGroupResult],
      hidden: Map[String, Seq[FileSlice]],
      extra: Map[String, String]
  ): CommitMetadata = CommitMetadata(
    spec.operation,
    table.avroSchema(snapshot),
    written.map(_.stat),
    hidden.map { case (partition, slices) => partition -> slices.map(_.fileId) },
    extra
  )

  /** Returns the error for the client after a failure. A write that was rolled back may first fail
    * because its files are missing. */
  def explain(thrown: Throwable): Throwable = HudiliteException.find(thrown) match {
    case None => transaction.explain(thrown)
    case Some(e) if LostFile.conditions(e.condition) => transaction.explain(e)
    case Some(e) => e
  }

  /** Deletes what the statement has written; has no effect after the commit. */
  def abort(): Unit = transaction.abort(): Unit
}

object RunningWrite {

  /** Executes a statement: begins its instant, merges and commits. A failure before the commit
    * point leaves the table as it was.
    * @param rollbackMillis age in milliseconds from which a pending write counts as dead
    * @param retries        conflicts with newer commits before this execution
    * @param planned        milliseconds in which the statement was planned; the plan itself may be made
    *                       here, which adds to them
    * @param hasWaited      whether the write has waited for a step of a rescale; then it does not look
    *                       for another one
    * @param merge          plan with MergeFileGroupsExec at its root; evaluated after the beginning
    * @return None, and nothing is written, if a step of a rescale was announced before the beginning
    * Errors: HUDILITE_CONCURRENT_WRITE, also if columns were changed after the analysis; those of
    * the tasks and of a commit. */
  def execute(
      statement: WriteStatement,
      rollbackMillis: Long,
      retries: Int,
      planned: Long,
      hasWaited: Boolean
  )(merge: => SparkPlan): Option[WriteMetrics] = {
    val attempt = new WriteAttempt[RunningWrite](
      () => begin(statement, rollbackMillis),
      (write, e) => write.explain(e),
      write => write.abort()
    )
    attempt.run { write =>
      val waits = !hasWaited && statement.turns.exists(_.isAnnounced)
      if (waits) write.abort()
      Option.unless(waits) {
        val asked = System.nanoTime
        val plan = merge
        (plan, planned + PhaseMillis.between(asked, System.nanoTime))
      }
    } { (write, planning) =>
      planning.map { case (plan, millis) =>
        try {
          val began = System.nanoTime
          val result = MergeFileGroupsExec.run(plan, write.pending)
          val merged = System.nanoTime
          val located = LocateRowsExec.located(plan)
          def phases() = PhaseMillis.until(millis, began, result.tagged, merged)
          val metrics = write.commit(result, located, retries, () => phases())
          located.map(_.filesWithoutRange).filter(_.nonEmpty).foreach(warnOf(statement.table, _))
          metrics
        } finally LocateRowsExec.release(plan)
      }
    }
  }

  /** Executes the merge of a statement under a transaction that another write begins and commits.
    * @param operation operation of the commit
    * @return metadata of the new files for that commit */
  def join(statement: WriteStatement, transaction: Transaction, operation: String)(
      merge: => SparkPlan
  ): CommitMetadata = {
    val write = new RunningWrite(statement, transaction)
    val asked = System.nanoTime
    val plan = merge
    try {
      val began = System.nanoTime
      val result = MergeFileGroupsExec.run(plan, write.pending)
      val merged = System.nanoTime
      val planning = PhaseMillis.between(asked, began)
      def phases() = PhaseMillis.until(planning, began, result.tagged, merged)
      write.prepared(result, operation, () => phases())
    } finally LocateRowsExec.release(plan)
  }

  /** Begins the instant that the statement writes under, and rolls back what dead writers have
    * left. */
  private def begin(statement: WriteStatement, rollbackMillis: Long): RunningWrite = {
    checkPlanned(statement)
    val log = statement.table.log
    log.rollback.rollBackOlderThan(rollbackMillis): Unit
    new RunningWrite(
      statement,
      log.begin(
        statement.snapshot.base,
        statement.action,
        statement.spec.stream,
        PendingWrite.about(statement.session.sparkContext, statement.spec.operation)
      )
    )
  }

  /** Fails if columns, constraints or the number of buckets were changed after the statement was
    * planned.
    * Errors: HUDILITE_CONCURRENT_WRITE. */
  private[exec] def checkPlanned(statement: WriteStatement): Unit = {
    def overtaken(why: String) = HudiliteException(
      "HUDILITE_CONCURRENT_WRITE",
      "table" -> statement.table.name,
      "bucket" -> s"all, because $why changed",
      "instant" -> statement.snapshot.lastInstant.getOrElse("")
    )
    if (statement.hasOtherColumns) throw overtaken("columns or constraints")
    if (statement.hasOtherCounts) throw overtaken("the number of buckets")
  }

  private def warnOf(table: HudiliteTable, rangeless: Seq[String]): Unit = {
    val named = rangeless.take(LookupCounts.named).mkString(", ")
    val others = if (rangeless.size > LookupCounts.named) " and others" else ""
    Warnings.say(
      s"Table ${table.name}: the footers of $named$others contain no key range, so all keys were " +
        s"looked up in these files. Run ${CallText.of(table, "rebuild_index")} to add key ranges."
    )
  }
}
