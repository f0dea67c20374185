package hudilite.spark.stream

import java.util.Locale

import org.apache.spark.sql.catalyst.plans.logical.AppendData
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.streaming.Sink
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, DataFrame}

import hudilite.commit.{StreamBatch, StreamLog}
import hudilite.spark.catalog.{
  HudiliteTable,
  SessionParts,
  TablePath,
  WriteOperation,
  WriteOptions
}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.HudiliteWrite

/** Sink that writes the batches of a streaming query to a table. Each batch is one INSERT, or an
  * upsert if the option of Hudi's operation says so, and at most one commit, which records the query
  * id and the batch number. A batch that the table already contains is skipped. Runs on the driver.
  * @param path    location of the table
  * @param options options of the writer: they repeat facts of the table, and state Hudi's operation */
final class StreamSink private (path: String, options: Map[String, String]) extends Sink {

  /** Uuid of the table, and which batches it contained before the latest one; None at first. */
  private var held: Option[(String, StreamLog.Held)] = None

  override def addBatch(batchId: Long, data: DataFrame): Unit = data match {
    case batch: Dataset[_] =>
      val table = TablePath.open(batch.sparkSession, Seq(path))
      val stream = StreamSink.idOf(batch.sparkSession)
      val log = new StreamLog(table.timeline, table.log, stream)
      val now = held.filter(_._1 == table.id).fold(log.begin()) { case (_, seen) =>
        log.since(seen)
      }
      held = Some(table.id -> now)
      if (!now.last.exists(_ >= batchId))
        StreamSink.insert(table, batch, StreamBatch(stream, batchId, now.number), options)
    case other => throw new IllegalStateException(s"INTERNAL: a batch is a ${other.getClass}")
  }

  override def toString: String = TablePath.nameOf(path)
}

object StreamSink {

  /** Opens the table, and checks that the stream can write to it.
    * @param options    options of the stream, names in any case
    * @param partitions columns of `partitionBy`
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for another output mode than append, a path of a part of a
    * table or other partition columns; HUDILITE_PROPERTY_CONFLICT and HUDILITE_PROPERTY_UNSUPPORTED
    * for options; HUDILITE_SESSION_NOT_READY; those of TablePath. */
  def of(
      session: SparkSession,
      options: Map[String, String],
      partitions: Seq[String],
      mode: OutputMode
  ): StreamSink = {
    SessionParts.demandExtension(session)
    val path = options.collectFirst { case (key, text) if lower(key) == "path" => text }
    val table = TablePath.open(session, path.toSeq)
    if (mode != OutputMode.Append)
      throw unsupported(
        table,
        s"Output mode ${lower(mode.toString)}",
        "Use outputMode('append'), or run MERGE INTO in foreachBatch."
      )
    if (table.part.nonEmpty)
      throw unsupported(table, "A stream to a part of it", s"Write to ${table.basePath}.")
    if (partitions.nonEmpty && partitions.map(lower) != table.config.partitionFields.map(lower))
      throw unsupported(
        table,
        s"partitionBy(${partitions.mkString(", ")})",
        "Remove it: the partition columns of the table are used."
      )
    val ofTable = options.filterNot { case (key, _) => ofQuery(lower(key)) }
    WriteOptions.check(table.name, table.config, ofTable)
    WriteOperation.of(ofTable).filterNot(WriteOperation.ofAppends.contains).foreach { other =>
      throw unsupported(table, s"A stream with operation ${other.text}",
        "Write upsert, insert or bulk_insert, or use save(path) in foreachBatch.")
    }
    new StreamSink(table.basePath.toString, ofTable)
  }

  /** Options that Spark itself reads in a streaming query. */
  private val ofQuery = Set("checkpointlocation", "queryname")

  private def insert(
      table: HudiliteTable,
      batch: Dataset[_],
      stream: StreamBatch,
      options: Map[String, String]
  ): Unit = {
    val session = batch.sparkSession
    val relation = DataSourceV2Relation.create(table, None, None)
    val append = AppendData.byName(relation, PlanFrame.rows(batch), options)
    session.sessionState.executePlan(append).analyzed match {
      case write: HudiliteWrite =>
        PlanFrame.of(session, write.copy(spec = write.spec.copy(stream = Some(stream)))): Unit
      case other => throw new IllegalStateException(s"INTERNAL: INSERT became ${other.nodeName}")
    }
  }

  /** Returns the id of the streaming query, which its checkpoint stores. Spark sets it as a local
    * property of the thread that runs the query. */
  private def idOf(session: SparkSession): String =
    Option(session.sparkContext.getLocalProperty(StreamExecution.QUERY_ID_KEY))
      .getOrElse(throw new IllegalStateException("INTERNAL: no streaming query runs here"))

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)

  private def unsupported(table: HudiliteTable, clause: String, fix: String): AnalysisException =
    AnalysisErrors.of(
      "HUDILITE_UNSUPPORTED_CLAUSE",
      "clause" -> clause,
      "table" -> table.name,
      "fix" -> fix
    )
}
