package hudilite.spark.exec

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.io.Requests
import hudilite.spark.merge.{FileGroupResult, MergeReaders, MergeResult, SampledRow}
import hudilite.spark.write.{PendingWrite, WriteAttempt}
import hudilite.timeline.FileGroupRef
import hudilite.view.FileSlice

/** What a write statement would do, found out by its own plan and its own tasks (driver side). No
  * instant begins, no file is written, and no dead writer is rolled back.
  *
  * @param columns    columns of the table
  * @param fileGroups what would happen to each file group that changes
  * @param hidden     number of rows that are deleted with their file groups, by partition
  * @param rows       some changed rows of each kind
  * @param pending    instants of pending writes
  * @param isBlind    whether the write need not read the table
  * @param reason     why it must, or how much it reads nevertheless */
final case class WritePreview(
    columns: StructType,
    fileGroups: Seq[PreviewedFileGroup],
    hidden: Map[String, Long],
    rows: Seq[SampledRow],
    pending: Seq[String],
    isBlind: Boolean,
    reason: String
) {

  /** Paths of the partitions that change. */
  def partitions: Set[String] = fileGroups.map(_.partition).toSet ++ hidden.keySet

  /** Totals of the whole statement, in the order of [[PreviewTotals.names]]. */
  def totals: Seq[Long] = PreviewTotals.of(fileGroups, hidden.values.sum)

  /** Instants of pending writes that write file groups of the statement. */
  def conflicts: Seq[String] = fileGroups.flatMap(_.conflicts).distinct.sorted
}

object WritePreview {
  private val instant = "0" * 17 // no write has it

  /** Runs the tasks of a statement.
    * @param write  statement as it is planned
    * @param merge  its physical plan below the commit
    * @param sample how many changed rows of each kind to return
    * Errors: those of the statement, except those of its commit. */
  def of(write: WritePlan, merge: SparkPlan, sample: Int): WritePreview = {
    val statement = write.statement
    val attempt = new WriteAttempt[PendingWrite](
      () => {
        RunningWrite.checkPlanned(statement)
        unwritten(statement)
      },
      (_, e) => HudiliteException.find(e).getOrElse(e),
      _ => ()
    )
    try
      attempt.run(MergeFileGroupsExec.run(merge, _, Some(sample)))((_, result) =>
        described(statement, result, sample)
      )
    finally LocateRowsExec.release(merge)
  }

  private def unwritten(statement: WriteStatement): PendingWrite = {
    val timeline = statement.table.timeline
    PendingWrite(statement.table.name, timeline.basePath.toString, timeline.layout, instant,
      statement.action)
  }

  private def described(
      statement: WriteStatement,
      result: MergeResult,
      sample: Int
  ): WritePreview = {
    val written = result.fileGroups.filter(_.fileName.nonEmpty)
    val hidden = statement.replaced.fold(Map.empty[String, Seq[FileSlice]])(
      _.slices(written.map(_.partition).toSet)
    )
    val pending = PendingFiles.of(statement.table, statement.snapshot)
    WritePreview(
      statement.table.schema,
      fileGroups(statement, written, pending) ++
        hidden.toSeq.sortBy(_._1).flatMap(_._2).map(hiding(_, pending)),
      hidden.map { case (partition, slices) =>
        partition -> statement.replaced.fold(0L)(_.rows(slices))
      },
      SampledRow.first(
        result.samples ++ deleted(statement, hidden.values.flatten.toSeq, sample),
        sample
      ),
      pending.instants,
      statement.isBlind,
      statement.whyRead.getOrElse(statement.texts.ofBlind)
    )
  }

  private def fileGroups(
      statement: WriteStatement,
      written: Seq[FileGroupResult],
      pending: PendingFiles
  ): Seq[PreviewedFileGroup] = {
    val scope = ConflictScope.of(statement)
    val byPartition = written.groupBy(_.partition).toSeq.sortBy(_._1)
    val groups = Requests.of(byPartition.map(_._1))(statement.snapshot.groups)
    byPartition.zip(groups).flatMap { case ((partition, results), before) =>
      val slices = before.map(of => of.fileId -> of).toMap
      results.sortBy(_.fileId).map { result =>
        val old = Option.when(result.prevCommit.nonEmpty)(slices.get(result.fileId)).flatten
        previewed(result, old, pending.conflicting(partition, scope.of(result)))
      }
    }
  }

  private def previewed(
      result: FileGroupResult,
      old: Option[FileSlice],
      conflicts: Seq[String]
  ): PreviewedFileGroup = {
    import PreviewedFileGroup.{Add, Log, Rewrite}
    PreviewedFileGroup(
      result.partition,
      old.map(_.fileId),
      if (result.log.nonEmpty) Log else if (old.nonEmpty) Rewrite else Add,
      old.flatMap(_.baseName),
      if (result.log.nonEmpty) Some(result.fileBytes) else old.map(_.length),
      updated = result.updates + result.movedOut,
      deleted = result.deletes - result.movedOut,
      inserted = result.inserts - result.movedIn,
      copied = result.rows - result.inserts - result.updates,
      conflicts
    )
  }

  private def hiding(slice: FileSlice, pending: PendingFiles): PreviewedFileGroup =
    PreviewedFileGroup(
      slice.partition,
      Some(slice.fileId),
      PreviewedFileGroup.Hide,
      slice.baseName,
      Some(slice.length),
      conflicts = pending.conflicting(slice.partition,
        Seq(FileGroupRef.partition(slice.partition)))
    )

  /** Returns some rows of file groups that are hidden, about as many of each. */
  private def deleted(
      statement: WriteStatement,
      slices: Seq[FileSlice],
      most: Int
  ): Seq[SampledRow] =
    if (slices.isEmpty || most == 0) Nil
    else {
      import statement.{session, snapshot, spec, table, target}
      val factory = new MergeReaders(session, table, snapshot, spec, target, Nil).whole
      val schema = table.schema
      val few = slices.sortBy(slice => (slice.partition, slice.fileId)).take(most)
      val each = (most + few.size - 1) / few.size
      session.sparkContext
        .parallelize(few, math.min(few.size, session.sparkContext.defaultParallelism))
        .flatMap(SampledRow.deleted(factory, _, schema, each))
        .collect()
        .toSeq
    }
}
