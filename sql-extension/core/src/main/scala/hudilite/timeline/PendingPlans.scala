package hudilite.timeline

import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException

/** Table services that stock Hudi has planned and not finished. They move rows between files, so no
  * other write is allowed meanwhile.
  * Source: hudi-format §3.1, §3.8 (HoodieRequestedReplaceMetadata). */
object PendingPlans {
  private val compactions = Set("compaction", "logcompaction")

  /** Returns the clusterings that are planned and not completed. */
  private[hudilite] def clusterings(files: TimelineFiles, timeline: Timeline): Seq[Instant] =
    planned(timeline).filter { i =>
      i.action == Instant.clustering ||
      i.action == Instant.replaceCommit && isClustering(files, i)
    }

  private def planned(timeline: Timeline): Seq[Instant] = timeline.instants.filter { i =>
    i.state == Instant.Requested && !timeline.isCompleted(i.time, i.completedAction)
  }

  /** Fails if a compaction or clustering is pending.
    * Errors: HUDILITE_UNSUPPORTED_TABLE, with the command of stock Hudi that finishes the plan. */
  def check(files: TimelineFiles, timeline: Timeline): Unit = {
    planned(timeline)
      .find(i => compactions(i.action) && !timeline.isCompleted(i.time, Instant.commit))
      .foreach(instant => throw pending(files.basePath, instant, "compaction"))
    clusterings(files, timeline).headOption
      .foreach(instant => throw pending(files.basePath, instant, "clustering"))
  }

  private def pending(basePath: Path, instant: Instant, service: String) = HudiliteException(
    "HUDILITE_UNSUPPORTED_TABLE",
    "path" -> basePath.toString,
    "fact" -> s"pending $service",
    "value" -> instant.time,
    "fix" -> s"Finish it with stock Hudi: CALL run_$service(op => 'execute', table => '...')."
  )

  private def isClustering(files: TimelineFiles, instant: Instant): Boolean = {
    val bytes = files.read(instant)
    bytes.nonEmpty && files.codec.decode(bytes, files.path(instant)).exists(hasPlan)
  }

  private def hasPlan(record: GenericRecord): Boolean =
    record.hasField("clusteringPlan") && Option(record.get("clusteringPlan")).nonEmpty
}
