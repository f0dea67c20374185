package hudilite.spark.stream

import java.util.Locale

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{AppendData, LocalRelation}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.streaming.Sink
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, DataFrame, SaveMode}

import hudilite.commit.{StreamBatch, StreamLog}
import hudilite.io.Storage
import hudilite.spark.catalog.{
  HudiliteTable,
  SessionParts,
  SessionTables,
  TablePath,
  WriteOperation,
  WriteOptions
}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.HudiliteWrite

/** Sink that writes the batches of a streaming query to a table. Each batch is one INSERT, or an
  * upsert if the option of Hudi's operation says so, and at most one commit, which records the query
  * id and the batch number. A batch that the table already contains is skipped. The first batch of a
  * query creates the table if the path has none. Runs on the driver.
  * @param path       location of the table
  * @param options    options of the writer: they repeat facts of the table, or state those of the
  *                   table to create, and Hudi's operation
  * @param partitions columns of `partitionBy` */
final class StreamSink private (
    path: String,
    options: Map[String, String],
    partitions: Seq[String]
) extends Sink {

  /** Uuid of the table, and which batches it contained before the latest one; None at first. */
  private var held: Option[(String, StreamLog.Held)] = None

  override def addBatch(batchId: Long, data: DataFrame): Unit = data match {
    case batch: Dataset[_] =>
      val table = TablePath.opened(batch.sparkSession, Seq(path)).getOrElse {
        if (batchId == 0) StreamSink.create(batch, path, options, partitions)
        TablePath.open(batch.sparkSession, Seq(path))
      }
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

  /** Opens the table, if the path has one, and checks that the stream can write to it.
    * @param options    options of the stream, names in any case
    * @param partitions columns of `partitionBy`
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for another output mode than append, a path of a part of a
    * table, other partition columns or a checkpoint in the folder of a new table;
    * HUDILITE_LOCATION_NOT_EMPTY and HUDILITE_LOCATION_FOREIGN for a folder that is not free;
    * HUDILITE_PROPERTY_CONFLICT and HUDILITE_PROPERTY_UNSUPPORTED for options;
    * HUDILITE_SESSION_NOT_READY; those of TablePath. */
  def of(
      session: SparkSession,
      options: Map[String, String],
      partitions: Seq[String],
      mode: OutputMode
  ): StreamSink = {
    SessionParts.demandExtension(session)
    val path = options.collectFirst { case (key, text) if lower(key) == "path" => text }
    val table = TablePath.opened(session, path.toSeq).toOption
    val name = table.fold(TablePath.nameOf(path.mkString))(_.name)
    if (mode != OutputMode.Append)
      throw unsupported(
        name,
        s"Output mode ${lower(mode.toString)}",
        "Use outputMode('append'), or run MERGE INTO in foreachBatch."
      )
    val ofTable = options.filterNot { case (key, _) => ofQuery(lower(key)) }
    table.foreach(checkFacts(_, ofTable, partitions))
    WriteOperation.of(ofTable).filterNot(WriteOperation.ofAppends.contains).foreach { other =>
      throw unsupported(name, s"A stream with operation ${other.text}",
        "Write upsert, insert or bulk_insert, or use save(path) in foreachBatch.")
    }
    if (table.isEmpty) checkNew(session, path.mkString, options)
    new StreamSink(table.fold(path.mkString)(_.basePath.toString), ofTable, partitions)
  }

  /** Checks that the first batch can create a table at a path. */
  private def checkNew(session: SparkSession, path: String, options: Map[String, String]): Unit = {
    val conf = session.sessionState.newHadoopConf()
    val folder = Storage.qualified(new Path(path), conf)
    val isInside = options.exists { case (key, text) =>
      lower(key) == checkpoint && s"${Storage.qualified(new Path(text), conf)}/".startsWith(
        s"$folder/"
      )
    }
    if (isInside)
      throw unsupported(TablePath.nameOf(path), "A checkpoint in the folder of a new table",
        s"Choose a checkpointLocation outside of $folder.")
    new SessionTables(session).checkEmpty(TableIdentifier(TablePath.nameOf(path)),
      Some(folder.toString))
  }

  private def checkFacts(
      table: HudiliteTable,
      options: Map[String, String],
      partitions: Seq[String]
  ): Unit = {
    if (table.part.nonEmpty)
      throw unsupported(table.name, "A stream to a part of it", s"Write to ${table.basePath}.")
    if (partitions.nonEmpty && partitions.map(lower) != table.config.partitionFields.map(lower))
      throw unsupported(
        table.name,
        s"partitionBy(${partitions.mkString(", ")})",
        "Remove it: the partition columns of the table are used."
      )
    WriteOptions.check(table.name, table.config, options)
  }

  /** Options that Spark itself reads in a streaming query. */
  private val ofQuery = Set(checkpoint, "queryname")

  private def checkpoint = "checkpointlocation"

  /** Creates a table without rows, as `save(path)` of a DataFrame without rows does. */
  private def create(
      batch: Dataset[_],
      path: String,
      options: Map[String, String],
      partitions: Seq[String]
  ): Unit = {
    val noRows = LocalRelation(DataTypeUtils.toAttributes(batch.schema))
    val stated = options.filterNot(option => lower(option._1) == "path")
    val writer = PlanFrame.of(batch.sparkSession, noRows).write
      .format(SessionTables.provider).options(stated).mode(SaveMode.ErrorIfExists)
    (if (partitions.isEmpty) writer else writer.partitionBy(partitions: _*)).save(path)
  }

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

  private def unsupported(table: String, clause: String, fix: String): AnalysisException =
    AnalysisErrors.of(
      "HUDILITE_UNSUPPORTED_CLAUSE",
      "clause" -> clause,
      "table" -> table,
      "fix" -> fix
    )
}
