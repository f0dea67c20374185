package hudilite.service

import hudilite.format.{LogFileBlocks, LogInstants, TableConfig, TableVersion}
import hudilite.io.Storage
import hudilite.timeline.{InstantTime, Timeline, TimelineFiles}
import hudilite.view.{DataFile, TableSnapshot}

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
        logs.filter(log => log.instant < until && isYoung(log, from) && !isNamed(log))
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

  /** Whether a log file may have a block that was written since a commit began. The clocks of the
    * writers and of the storage may differ, and a copy of the table is younger than its instants. */
  private def isYoung(log: DataFile, from: String): Boolean = {
    val last = log.modifiedMillis + clocksDifferMillis
    InstantTime.at(last, config.timelineZone) >= from ||
    timeline.stamps.get(from).exists(_.modifiedMillis <= last)
  }

  /** Whether a commit of the timeline has written the last bytes of a log file. */
  private def isNamed(log: DataFile): Boolean =
    snapshot.checkedView.writtenLogs.get(log.partition).flatMap(_.get(log.fileId))
      .exists(_.exists(file => file.name == log.fileName && file.length == log.length))
}

private[service] object LostLogs {

  /** Most by which the clocks of writers and of the storage differ: a day, which includes zones. */
  private val clocksDifferMillis = 86400000L

  /** Instant that was never completed.
    * @param reason what it has left */
  final case class Lost(instant: String, reason: String)

  private def lost(log: DataFile, instant: String) =
    Lost(instant, s"log file ${log.place} has rows of $instant, which was never completed")
}
