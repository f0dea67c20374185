package hudilite.spark.command

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.io.StorageFault
import hudilite.spark.catalog.{DeclaredIndex, HudiliteTable}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.read.PartitionFilter
import hudilite.spark.repair.{ClusterSteps, CompactionSteps, SlicesOf}
import hudilite.view.FileSlice

/** OPTIMIZE: merges the log files of a merge-on-read table into its base files, as the procedure
  * `compact` does, and puts the small files of a table without buckets together, in the order of
  * the record key. With ZORDER BY, it sorts the rows of a table without buckets into new files, as
  * the procedure `cluster` does. Each bucket is one file: in a copy-on-write table with buckets it
  * counts the files.
  * @param where  condition on partition columns
  * @param zorder parts of the names of the columns of ZORDER BY, or Nil
  * @param packs  whether small files are put together */
final case class OptimizeCommand(
    target: CommandTarget,
    where: Option[String],
    zorder: Seq[Seq[String]],
    packs: Boolean
) extends LeafRunnableCommand {
  import OptimizeCommand.Done

  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(OptimizeCommand.schema)

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE for a condition on other columns; those of the procedures. */
  override def run(session: SparkSession): Seq[Row] = StorageFault.explained {
    val table = target.reloaded
    val columns = StructType(table.config.partitionFields.map(table.schema(_)))
    val wanted = PartitionFilter.of(ClassicSession.active, where, columns, refused(session, _))
    val considered = SlicesOf.partitions(table, columns, wanted)
    val done =
      if (zorder.nonEmpty) {
        DeclaredIndex.check("OPTIMIZE", table)
        clustered(table, wanted)
      } else {
        val small = packed(table, wanted)
        small ++ compacted(if (small.added.isEmpty) table else target.reloaded, wanted)
      }
    Seq(Row(table.basePath.toString, done.metrics(considered)))
  }

  /** Puts small files together, with the rows of their log files. */
  private def packed(table: HudiliteTable, wanted: InternalRow => Boolean): Done =
    if (!packs || !table.config.isIndexDeclared || table.config.hasBuckets) Done(Nil, Nil)
    else clustered(table, wanted)

  private def compacted(table: HudiliteTable, wanted: InternalRow => Boolean): Done =
    if (!table.config.isMergeOnRead) Done(Nil, Nil)
    else {
      table.checkWritable()
      val asked = CompactionSteps.byLogFiles(where, wanted, least = 1)
      val done = new CompactionSteps(ClassicSession.active, writable, asked).run(table)
      Done(done.map(_._2), done.map(_._1))
    }

  private def clustered(table: HudiliteTable, wanted: InternalRow => Boolean): Done = {
    table.checkWritable()
    val asked =
      ClusterSteps.Asked(zorder, ClusterSteps.textOf(zorder), isZOrder = true, where, wanted)
    val done = new ClusterSteps(ClassicSession.active, writable, asked).run(table)
    Done(done.flatMap(_.plan.slices), done.flatMap(_.files))
  }

  private def writable: () => HudiliteTable = () => {
    val now = target.reloaded
    now.checkWritable()
    now
  }

  private def refused(session: SparkSession, reason: String): Throwable = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> s"OPTIMIZE ... WHERE ${where.getOrElse("")}",
    "table" -> target.table.name,
    "fix" -> s"$reason For the whole table, write: OPTIMIZE ${target.named(session).name}"
  )
}

object OptimizeCommand {

  /** Result of the rewrite.
    * @param removed slices that it replaced
    * @param added   new files */
  final private case class Done(removed: Seq[FileSlice], added: Seq[FileGroupResult]) {

    def ++(later: Done): Done = Done(removed ++ later.removed, added ++ later.added)

    /** Returns the metrics.
      * @param before slices of the chosen partitions when the statement began. Others may have
      *               changed them since */
    def metrics(before: Seq[FileSlice]): Row = {
      val replaced = removed.map(slice => slice.partition -> slice.fileId).toSet
      val kept = before.filterNot(slice => replaced(slice.partition -> slice.fileId))
      Row(
        added.size.toLong,
        files(removed),
        removed.map(_.logs.size.toLong).sum,
        added.map(_.partition).distinct.size.toLong,
        added.map(_.fileBytes).sum,
        files(removed) + files(kept)
      )
    }

    private def files(of: Seq[FileSlice]): Long = of.map(_.files.size.toLong).sum
  }

  /** The metrics have Delta's names where these have the same meaning. */
  private val schema: StructType = new StructType()
    .add("path", StringType, nullable = false)
    .add(
      "metrics",
      new StructType()
        .add("numFilesAdded", LongType, nullable = false)
        .add("numFilesRemoved", LongType, nullable = false)
        .add("numLogFilesMerged", LongType, nullable = false)
        .add("partitionsOptimized", LongType, nullable = false)
        .add("numBytesAdded", LongType, nullable = false)
        .add("totalConsideredFiles", LongType, nullable = false),
      nullable = false
    )
}
