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

/** OPTIMIZE: merges the log files of a merge-on-read table into its base files, by the procedure
  * `compact`. Of a copy-on-write table it counts the files: there is nothing to merge, because each
  * write fills small files or has one file for each bucket.
  * @param where condition on partition columns */
final case class OptimizeCommand(target: CommandTarget, where: Option[String])
    extends LeafRunnableCommand {

  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(OptimizeCommand.schema)

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE for a condition on other columns; those of the procedure. */
  override def run(session: SparkSession): Seq[Row] = {
    val table = target.reloaded
    val columns = StructType(table.config.partitionFields.map(table.schema(_)))
    val wanted = PartitionFilter.of(ClassicSession.active, where, columns, refused(session, _))
    val considered = Compaction.chosen(table, columns, wanted, least = 0)
    val done =
      if (!table.config.isMergeOnRead) Nil
      else target.call(session, "compact", where.toSeq.map("where" -> Literal(_).sql): _*)
    val merged =
      done.map(row => (row.getAs[String]("partition"), row.getAs[String]("file_id"))).toSet
    Seq(Row(
      table.basePath.toString,
      Row(
        done.size.toLong,
        considered.filter(s => merged(s.partition -> s.fileId)).map(_.files.size.toLong).sum,
        done.map(_.getAs[Int]("log_files").toLong).sum,
        merged.map(_._1).size.toLong,
        done.map(_.getAs[Long]("bytes")).sum,
        considered.map(_.files.size.toLong).sum
      )
    ))
  }

  private def refused(session: SparkSession, reason: String): Throwable = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> s"OPTIMIZE ... WHERE ${where.getOrElse("")}",
    "table" -> target.table.name,
    "fix" -> s"$reason For the whole table, write: OPTIMIZE ${target.named(session).name}"
  )
}

object OptimizeCommand {

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
