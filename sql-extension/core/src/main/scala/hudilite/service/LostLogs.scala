package hudilite.service

import hudilite.format.{LogFileBlocks, LogInstants, TableConfig, TableVersion}
import hudilite.io.Storage
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.{DataFile, TableSnapshot, UnnamedLogs}

/** Log files, or blocks in them, of instants that were never completed and that are not pending. Such an
  * instant counts as that of an archived commit once the timeline begins after it.
  * Source: merge-on-read §0.8, §3.3. */
private[service] final class LostLogs(
    files: TimelineFiles,
    config: TableConfig,
    snapshot: TableSnapshot,
    timeline: Timeline
) {
  import LostLogs._

  /** Returns the first such instant between two.
    * @param logs  all log files of the table
    * @param from  a commit of the timeline
    * @param until a later instant, which is not looked for */
  def first(logs: Seq[DataFile], from: String, until: String): Option[Lost] = {
    def isLost(instant: String) = from <= instant && instant < until &&
      !timeline.isKnown(instant) && !snapshot.view.isCommitted(instant)
    val found =
      if (config.version != TableVersion.Six)
        logs.filter(log => isLost(log.instant)).map(log => lost(log, log.instant))
      else
        new UnnamedLogs(config, snapshot, timeline)
          .since(logs.filter(_.instant < until), from)
          .groupBy(log => (log.partition, log.fileId)).values.toSeq
          .flatMap(inGroup(_, from, isLost))
    found.minByOption(of => (of.instant, of.reason))
  }

  /** Returns these instants of a file group of version 6. A rollback block removes those of its instant
    * from the rows. */
  private def inGroup(
      logs: Seq[DataFile],
      from: String,
      isLost: String => Boolean
  ): Seq[Lost] = {
    val (large, small) = logs.partition(_.length > Storage.maxReadBytes)
    val read = small.map { log =>
      log -> LogInstants.of(LogFileBlocks.read(files.storage.read(log.path), log.path.toString))
    }
    val rolledBack = read.flatMap(_._2.rolledBack).toSet
    large.map(log => Lost(from, s"log file ${log.place} is too large to look for lost blocks")) ++
      read.flatMap { case (log, in) =>
        (in.written -- rolledBack).filter(isLost).map(lost(log, _))
      }
  }
}

private[service] object LostLogs {

  /** Instant that was never completed.
    * @param reason what it has left */
  final case class Lost(instant: String, reason: String)

  private def lost(log: DataFile, instant: String) =
    Lost(instant, s"log file ${log.place} has rows of $instant, which was never completed")
}
