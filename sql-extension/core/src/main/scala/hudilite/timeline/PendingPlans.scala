package hudilite.timeline

import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.TableConfig

/** Table services that stock Hudi has planned and not finished. They move rows between files, so no
  * other write is allowed meanwhile.
  * Source: hudi-format §3.1, §3.8 (HoodieRequestedReplaceMetadata). */
object PendingPlans {

  /** Returns the clusterings that are planned and not completed. */
  private[hudilite] def clusterings(files: TimelineFiles, timeline: Timeline): Seq[Instant] =
    planned(timeline).filter { i =>
      i.action == Instant.clustering ||
      i.action == Instant.replaceCommit && isClustering(files, i)
    }

  /** Returns the instants at which stock Hudi is building an index of its metadata table. */
  private[hudilite] def indexing(timeline: Timeline): Seq[Instant] = planned(timeline)
    .filter(i => i.action == "indexing" && !timeline.isCompleted(i.time, i.action))

  /** Fails while stock Hudi is building an index.
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  private[hudilite] def checkIndexing(
      files: TimelineFiles,
      timeline: Timeline,
      config: TableConfig
  ): Unit =
    if (config.metadataInflight.nonEmpty)
      indexing(timeline).headOption.foreach(i =>
        throw unfinished(files.basePath, i.time, index(config), "indexing")
      )

  private def index(config: TableConfig) =
    s"Let stock Hudi finish the index ${config.metadataInflight.mkString(", ")}, or remove it " +
      "with stock Hudi's DROP INDEX ... ON ..."

  private def planned(timeline: Timeline): Seq[Instant] = timeline.instants.filter { i =>
    i.state == Instant.Requested && !timeline.isCompleted(i.time, i.completedAction)
  }

  /** The compaction or clustering that is planned and not completed, and the name of the service. */
  private[hudilite] def first(
      files: TimelineFiles,
      timeline: Timeline
  ): Option[(Instant, String)] = {
    val compaction = planned(timeline)
      .find(i => DoneAction.completedAs.get(i.action).exists(!timeline.isCompleted(i.time, _)))
    compaction.map(_ -> "compaction")
      .orElse(clusterings(files, timeline).headOption.map(_ -> "clustering"))
  }

  /** Fails if a compaction or clustering is pending.
    * Errors: HUDILITE_UNSUPPORTED_TABLE, with the command of stock Hudi that finishes the plan. */
  def check(files: TimelineFiles, timeline: Timeline): Unit =
    first(files, timeline).foreach { case (instant, service) =>
      throw pending(files.basePath, instant, service)
    }

  private def pending(basePath: Path, instant: Instant, service: String) = unfinished(
    basePath,
    instant.time,
    s"Finish it with stock Hudi: CALL run_$service(op => 'execute', table => '...').",
    service
  )

  /** Returns the error for an action that must be finished before another one. */
  private[hudilite] def unfinished(
      basePath: Path,
      time: String,
      fix: String,
      action: String
  ): HudiliteException =
    HudiliteException(
      "HUDILITE_UNSUPPORTED_TABLE",
      "path" -> basePath.toString,
      "fact" -> s"pending $action",
      "value" -> time,
      "fix" -> fix
    )

  /** Whether a replacecommit has a plan. Its file may be gone since the listing, because its write was
    * aborted: then nothing is planned. */
  private def isClustering(files: TimelineFiles, instant: Instant): Boolean =
    files.readIfPresent(instant).exists { bytes =>
      bytes.nonEmpty && files.codec.decode(bytes, files.path(instant)).exists(hasPlan)
    }

  private def hasPlan(record: GenericRecord): Boolean =
    record.hasField("clusteringPlan") && Option(record.get("clusteringPlan")).nonEmpty
}
