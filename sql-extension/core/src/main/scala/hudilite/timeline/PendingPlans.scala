package hudilite.timeline

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.avro.AvroRuntimeException
import org.apache.avro.file.{DataFileReader, SeekableByteArrayInput}
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.io.Storage

/** Services that stock Hudi has planned and not finished. They move rows between files, so nothing
  * else may write meanwhile.
  * Source: hudi-format §3.1, §3.8 (HoodieRequestedReplaceMetadata). */
object PendingPlans {
  private val compactions = Set("compaction", "logcompaction")

  /** Errors: HUDILITE_UNSUPPORTED_TABLE, with the stock command that finishes the plan. */
  def check(storage: Storage, basePath: Path, timeline: Timeline): Unit =
    timeline.instants
      .filter(i => i.state == Instant.Requested && !timeline.isCompleted(i.time, i.action))
      .foreach { instant =>
        if (compactions(instant.action) && !timeline.isCompleted(instant.time, Instant.commit))
          throw pending(basePath, instant, "compaction")
        if (instant.action == Instant.replaceCommit && isClustering(storage, basePath, instant))
          throw pending(basePath, instant, "clustering")
      }

  private def pending(basePath: Path, instant: Instant, service: String) = HudiliteException(
    "HUDILITE_UNSUPPORTED_TABLE",
    "path" -> basePath.toString,
    "fact" -> s"pending $service",
    "value" -> instant.time,
    "fix" -> s"Stock Hudi finishes it: CALL run_$service(op => 'execute', table => '...')."
  )

  private def isClustering(storage: Storage, basePath: Path, instant: Instant): Boolean = {
    val path = instant.path(basePath)
    val bytes = storage.read(path)
    try
      bytes.nonEmpty && Using.resource(
        new DataFileReader(new SeekableByteArrayInput(bytes), new GenericDatumReader[GenericRecord])
      )(_.iterator.asScala.exists(record => hasPlan(record)))
    catch {
      case e: java.io.IOException => throw Timeline.corrupt(path, e.getMessage)
      case e: AvroRuntimeException => throw Timeline.corrupt(path, e.getMessage)
    }
  }

  private def hasPlan(record: GenericRecord): Boolean =
    record.hasField("clusteringPlan") && Option(record.get("clusteringPlan")).nonEmpty
}
