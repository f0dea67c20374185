package hudilite.verify

import hudilite.format.{LogFileBlocks, LogInstants, TableConfig, TableVersion}
import hudilite.io.Storage
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.{DataFile, TableSnapshot, UnnamedLogs}

/** Search for log files that no commit and no running write has written. Readers ignore them until the
  * timeline begins after their instants; then they count them. In table version 6, the blocks tell the
  * writers of a log file, and one with a block of any commit is not stray.
  * @param timeline timeline, read after the folders were listed, as for [[StrayCheck]]
  * Source: merge-on-read §0.8, §2, §3.3. */
private[verify] final class StrayLogs(
    files: TimelineFiles,
    config: TableConfig,
    snapshot: TableSnapshot,
    timeline: Timeline
) {
  import StrayLogs._

  private val view = snapshot.view

  /** @param logs all log files of the table */
  def of(logs: Seq[DataFile]): Seq[Stray] =
    if (config.version != TableVersion.Six) logs.flatMap(byName)
    else {
      val unnamed = view.firstActive.fold(logs)(
        new UnnamedLogs(config, snapshot, timeline).since(logs, _)
      ).filterNot(isNamed)
      val groups = logs.groupBy(log => (log.partition, log.fileId))
      unnamed.flatMap(log => byBlocks(log, groups((log.partition, log.fileId))))
    }

  private def isNamed(log: DataFile): Boolean =
    snapshot.checkedView.writtenLogs.get(log.partition).flatMap(_.get(log.fileId))
      .exists(_.exists(_.name == log.fileName))

  private def byName(log: DataFile): Option[Stray] =
    if (isPending(log.instant)) Some(Stray(log, "", Some(log.instant)))
    else Option.unless(isNeeded(log.instant))(Stray(log, notCommitted(log.instant), None))

  private def byBlocks(log: DataFile, group: Seq[DataFile]): Option[Stray] =
    read(log).filterNot(_.torn.exists(_.instant.isEmpty)).map(LogInstants.of).flatMap { in =>
      in.written.filter(isPending).minOption match {
        case Some(instant) => Some(Stray(log, "", Some(instant)))
        case None if in.written.exists(isNeeded) => None
        case None if in.rolledBack.exists(hasBlocks(_, group.filter(_ != log))) => None
        case None => Some(Stray(log, reason(in), None))
      }
    }

  private def reason(in: LogInstants): String =
    (in.written.minOption, in.rolledBack.minOption) match {
      case (Some(instant), _) =>
        s"it has only blocks of writes like $instant, which was never committed"
      case (None, Some(instant)) =>
        s"it only removes the blocks of writes like $instant, which no log file has"
      case (None, None) => "it is empty"
    }

  /** Whether a log file may have blocks of an instant; also if it cannot be read. */
  private def hasBlocks(instant: String, logs: Seq[DataFile]): Boolean =
    logs.exists(read(_).forall(found =>
      found.torn.exists(_.instant.isEmpty) || LogInstants.of(found).written(instant)
    ))

  private def isPending(instant: String): Boolean =
    timeline.pending(instant) && !view.completed(instant)

  /** Whether a reader counts an instant, or an action of the timeline has it. */
  private def isNeeded(instant: String): Boolean =
    view.isCommitted(instant) || timeline.isKnown(instant)

  /** Returns the blocks of a log file; None for one that is too large or damaged. */
  private def read(log: DataFile): Option[LogFileBlocks] =
    if (log.length > Storage.maxReadBytes) None
    else
      Finding.attempt(Finding.error(LogCheck.damaged, log.place, _)) {
        LogFileBlocks.read(files.storage.read(log.path), log.path.toString)
      }.toOption
}

private[verify] object StrayLogs {

  /** Log file that belongs to no commit.
    * @param reason  why no reader needs it
    * @param pending pending write that it belongs to, None if no write may still commit it */
  final case class Stray(file: DataFile, reason: String, pending: Option[String])

  private def notCommitted(instant: String) = s"$instant is not a committed instant"
}
