package hudilite.spark.command

import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.spark.error.AnalysisErrors
import hudilite.spark.read.PartitionFilter
import hudilite.spark.repair.Compaction
import hudilite.view.FileSlice

/** OPTIMIZE: merges the log files of a merge-on-read table into its base files, by the procedure
  * `compact`. Of a copy-on-write table it counts the files: there is nothing to merge, because each
  * write fills small files or has one file for each bucket. With ZORDER BY, it sorts the rows of a table
  * without buckets into new files, by the procedure `cluster`.
  * @param where  condition on partition columns
  * @param zorder columns of ZORDER BY, or Nil */
final case class OptimizeCommand(
    target: CommandTarget,
    where: Option[String],
    zorder: Seq[String]
) extends LeafRunnableCommand {
  import OptimizeCommand.Done

  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(OptimizeCommand.schema)

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE for a condition on other columns; those of the procedures. */
  override def run(session: SparkSession): Seq[Row] = {
    val table = target.reloaded
    val columns = StructType(table.config.partitionFields.map(table.schema(_)))
    val wanted = PartitionFilter.of(ClassicSession.active, where, columns, refused(session, _))
    val considered = Compaction.chosen(table, columns, wanted, least = 0)
    val done =
      if (zorder.nonEmpty) clustered(considered)
      else if (table.config.isMergeOnRead) compacted(considered)
      else Done(Nil, 0, 0, 0, 0)
    Seq(Row(
      table.basePath.toString,
      Row(
        done.added,
        done.removed.map(_.files.size.toLong).sum,
        done.logs,
        done.partitions,
        done.bytes,
        considered.map(_.files.size.toLong).sum
      )
    ))
  }

  private def compacted(considered: Seq[FileSlice]): Done = {
    val rows = target.call("compact", argument("where", where): _*)
    val merged =
      rows.map(row => (row.getAs[String]("partition"), row.getAs[String]("file_id"))).toSet
    Done(
      considered.filter(s => merged(s.partition -> s.fileId)),
      rows.size.toLong,
      rows.map(_.getAs[Int]("log_files").toLong).sum,
      merged.map(_._1).size.toLong,
      rows.map(_.getAs[Long]("bytes")).sum
    )
  }

  private def clustered(considered: Seq[FileSlice]): Done = {
    val arguments =
      argument("zorder", Some(zorder.mkString(","))) ++ argument("partitions", where)
    val rows = target.call("cluster", arguments: _*)
    val sorted = rows.map(_.getAs[String]("partition")).toSet
    val removed = considered.filter(slice => sorted(slice.partition))
    Done(
      removed,
      rows.map(_.getAs[Int]("new_file_groups").toLong).sum,
      removed.map(_.logs.size.toLong).sum,
      rows.size.toLong,
      rows.map(_.getAs[Long]("bytes")).sum
    )
  }

  private def argument(name: String, value: Option[String]): Seq[(String, Literal)] =
    value.toSeq.map(name -> Literal(_))

  private def refused(session: SparkSession, reason: String): Throwable = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> s"OPTIMIZE ... WHERE ${where.getOrElse("")}",
    "table" -> target.table.name,
    "fix" -> s"$reason For the whole table, write: OPTIMIZE ${target.named(session).name}"
  )
}

object OptimizeCommand {

  /** What a procedure has done.
    * @param removed    slices that it replaced
    * @param added      number of new files
    * @param logs       number of log files that were merged
    * @param partitions number of partitions with new files
    * @param bytes      bytes of the new files */
  final private case class Done(
      removed: Seq[FileSlice],
      added: Long,
      logs: Long,
      partitions: Long,
      bytes: Long
  )

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
