package hudilite.spark.rewrite

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.util.SerializableConfiguration

import hudilite.commit.Transaction
import hudilite.format.MetaSchema
import hudilite.spark.catalog.{ColumnChanges, HudiliteTable}
import hudilite.spark.hive.SyncBehind
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.{PathColumns, SliceReader}
import hudilite.spark.write.{FileLayout, PendingWrite, PhaseMillis, WriteAttempt}
import hudilite.timeline.{CommitMetadata, FileGroupRef, Instant}
import hudilite.view.{Checkpoints, FileSlice}

/** Write that makes base files of existing rows: its instant, its tasks and its commit (driver
  * side). The rows are those of base files and log files. A failure before the commit point leaves
  * the table as it was.
  * @param operation operation type of the commit. A [[CommitMetadata.compact]] is a commit in every
  *                  table, as one of stock Hudi
  * @param replaced  file ids that the commit hides, by partition
  * @param altered   new columns, if the columns change */
final class RewriteCommit(
    session: SparkSession,
    table: HudiliteTable,
    operation: String,
    replaced: Map[String, Seq[String]],
    altered: Option[ColumnChanges] = None
) {
  private val changes = altered.getOrElse(ColumnChanges.none(table.schema))
  private val snapshot = table.snapshot
  private val avro = table.avroSchema(changes)
  private val action =
    if (replaced.nonEmpty) Instant.replaceCommit
    else if (operation == CommitMetadata.compact) Instant.commit
    else Instant.ofWrite(table.config.isMergeOnRead)

  /** Runs the tasks and commits their files.
    * @param partitions partitions that the tasks write to
    * @param touched    file groups that the commit writes or depends on
    * @param read       file groups that it leaves unchanged and depends on, too
    * @param tasks      creates the tasks for the instant
    * Errors: those of the tasks and of a commit. */
  def commit(
      partitions: Seq[String],
      touched: Set[FileGroupRef],
      read: Set[FileGroupRef] = Set.empty
  )(tasks: BaseFileRewriter => RDD[FileGroupResult]): Seq[FileGroupResult] = {
    val about = PendingWrite.about(session.sparkContext, operation)
    val done = WriteAttempt
      .of(() => Seq(table.log.begin(snapshot.base, action, about = about)), partitions)
      .run { writes =>
        val began = System.nanoTime
        val files = tasks(rewriter(writes.head)).collect().toSeq
        (files, began, System.nanoTime)
      } { case (writes, (files, began, merged)) =>
        val write = writes.head
        write.removeLosers(partitions, files.map(_.relativePath).toSet)
        val metadata = CommitMetadata(operation, avro, files.map(_.stat), replaced,
          PhaseMillis.withoutSource(began, merged))
        Checkpoints.afterCommit(table.timeline, table.config,
          write.commit(metadata, touched, read).number)
        files
      }
    SyncBehind(table)
    done
  }

  private def rewriter(write: Transaction): BaseFileRewriter = {
    BaseFileRewriter(
      PendingWrite.of(table.name, table.timeline, write),
      MetaColumns.before(PathColumns.stored(table.config, changes.written)),
      MetaSchema.prepend(avro),
      FileLayout.of(session.sessionState.conf, table.config),
      SliceReader.factory(
        session,
        table.config,
        MetaColumns.before(table.schema),
        MetaColumns.before(PathColumns.stored(table.config, changes.read)),
        Array.empty,
        strict = true,
        logs = Some(snapshot)
      ),
      session.sparkContext.broadcast(
        new SerializableConfiguration(session.sessionState.newHadoopConf())
      )
    )
  }
}

object RewriteCommit {

  /** Rewrites slices into the next base files of their file groups, in one commit and with one task for
    * each; makes no commit for an empty list.
    * @param operation operation type of the commit
    * @return the new files, in the order of `slices`
    * Errors: those of [[BaseFileRewriter.copy]] and of a commit. */
  def ofSlices(
      session: SparkSession,
      table: HudiliteTable,
      operation: String,
      slices: Seq[FileSlice]
  ): Seq[FileGroupResult] = {
    val touched = slices.map(slice => FileGroupRef(slice.partition, slice.fileId)).toSet
    if (slices.isEmpty) Nil
    else
      new RewriteCommit(session, table, operation, Map.empty)
        .commit(slices.map(_.partition).distinct, touched) { rewrite =>
          session.sparkContext.parallelize(slices, slices.size).map(rewrite.copy(_))
        }
  }
}
