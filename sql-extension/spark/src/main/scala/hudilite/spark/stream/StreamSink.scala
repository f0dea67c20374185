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

import hudilite.spark.AnalysisErrors
import hudilite.spark.catalog.{HudiliteTable, SessionParts, TablePath, WriteOptions}
import hudilite.spark.plan.HudiliteWrite
import hudilite.timeline.{StreamBatch, StreamLog}

/** A table as the end of a streaming query: each batch is one INSERT and at most one commit, which
  * tells whose batch it is. A batch that the table holds already is passed over. Runs on the driver.
  * @param path where the table lies */
final class StreamSink private (path: String) extends Sink {

  /** What the table of this uuid held before the next batch. */
  private var held: Option[(String, StreamLog.Held)] = None

  override def addBatch(batchId: Long, data: DataFrame): Unit = data match {
    case batch: Dataset[_] =>
      val table = TablePath.open(batch.sparkSession, Seq(path))
      val stream = StreamSink.idOf(batch.sparkSession)
      val log = new StreamLog(table.storage, table.basePath, table.log, stream)
      val now = held.filter(_._1 == table.id).fold(log.begin()) { case (_, seen) =>
        log.since(seen)
      }
      held = Some(table.id -> now)
      if (!now.last.exists(_ >= batchId))
        StreamSink.insert(table, batch, StreamBatch(stream, batchId, now.number))
    case other => throw new IllegalStateException(s"INTERNAL: a batch is a ${other.getClass}")
  }

  override def toString: String = TablePath.nameOf(path)
}

object StreamSink {

  /** @param options    of the stream, under whatever case of letters
    * @param partitions columns of `partitionBy`
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for another mode than append, HUDILITE_PROPERTY_CONFLICT and
    * HUDILITE_PROPERTY_UNSUPPORTED for options, HUDILITE_SESSION_NOT_READY, those of TablePath. */
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
        "Write in mode append, or MERGE INTO the table in foreachBatch."
      )
    if (table.part.nonEmpty)
      throw unsupported(table, "A stream to a part of it", s"Write to ${table.basePath}.")
    if (partitions.nonEmpty && partitions.map(lower) != table.config.partitionFields.map(lower))
      throw unsupported(
        table,
        s"partitionBy(${partitions.mkString(", ")})",
        "Leave it out: the table says what it is partitioned by."
      )
    WriteOptions.check(table.config, options.filterNot { case (key, _) => ofQuery(lower(key)) })
    new StreamSink(table.basePath.toString)
  }

  /** Options that Spark's own part of a streaming query reads. */
  private val ofQuery = Set("checkpointlocation", "queryname")

  private def insert(table: HudiliteTable, batch: Dataset[_], stream: StreamBatch): Unit = {
    val session = batch.sparkSession
    val append =
      AppendData.byName(DataSourceV2Relation.create(table, None, None), PlanFrame.rows(batch))
    session.sessionState.executePlan(append).analyzed match {
      case write: HudiliteWrite =>
        PlanFrame.of(session, write.copy(spec = write.spec.copy(stream = Some(stream)))): Unit
      case other => throw new IllegalStateException(s"INTERNAL: INSERT became ${other.nodeName}")
    }
  }

  /** The query's id, which its checkpoint keeps; Spark tells the thread that runs it. */
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
