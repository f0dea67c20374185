package hudilite.procedures

import scala.util.control.NonFatal

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.util.SerializableConfiguration

import hudilite.error.HudiliteException
import hudilite.format.{MetaFields, MetaSchema}
import hudilite.spark.catalog.{HudiliteTable, SchemaText}
import hudilite.spark.exec.FileResult
import hudilite.spark.read.SliceReader
import hudilite.spark.write.FileLayout
import hudilite.timeline.{CommitMetadata, FileGroupRef, Instant, Transaction}

/** The one write of a procedure that makes base files of rows that are there: its instant, its tasks
  * and its commit (driver side). What fails before the commit leaves the table as it was.
  * @param replaced partition to the file groups that the commit hides */
private[procedures] final class RewriteRun(
    session: SparkSession,
    table: HudiliteTable,
    operation: String,
    replaced: Map[String, Seq[String]]
) {
  private val snapshot = table.snapshot
  private val avro =
    snapshot.schema.getOrElse(SchemaText.toAvro(table.schema, table.config.name))
  private val action = if (replaced.isEmpty) Instant.commit else Instant.replaceCommit

  /** @param partitions that the tasks write to
    * @param touched    file groups that the commit rests on
    * @param read       file groups that it leaves as they are, and rests on too
    * @param tasks      what they are, made for the instant
    * Errors: those of the tasks and of a commit. */
  def commit(
      partitions: Seq[String],
      touched: Set[FileGroupRef],
      read: Set[FileGroupRef] = Set.empty
  )(tasks: FileRewrite => RDD[FileResult]): Seq[FileResult] = {
    val write = table.log.begin(snapshot.base, action = action)
    try {
      val done = tasks(plan(write)).collect().toSeq
      write.removeLosers(partitions, done.map(_.relativePath).toSet)
      write.commit(CommitMetadata(operation, avro, done.map(_.stat), replaced), touched, read)
      done
    } catch {
      case NonFatal(e) =>
        val fault = write.explain(HudiliteException.find(e).getOrElse(e))
        try write.abort(partitions)
        catch { case NonFatal(second) => fault.addSuppressed(second) }
        throw fault
    }
  }

  private def plan(write: Transaction): FileRewrite = {
    val columns =
      StructType(MetaFields.all.map(StructField(_, StringType)) ++ table.schema.fields)
    FileRewrite(
      table.name,
      table.basePath.toString,
      write.instant,
      action,
      columns,
      MetaSchema.prepend(avro),
      FileLayout.of(session.sessionState.conf),
      SliceReader.factory(session, table.config, columns, columns, Array.empty, strict = true),
      session.sparkContext.broadcast(
        new SerializableConfiguration(session.sessionState.newHadoopConf())
      )
    )
  }
}
