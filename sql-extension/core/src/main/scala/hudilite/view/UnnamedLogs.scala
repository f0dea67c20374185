package hudilite.view

import hudilite.format.TableConfig
import hudilite.timeline.{InstantTime, Timeline}

/** Log files of a table of version 6 of which only the blocks tell the writers. The names of log files do
  * not contain the instants of their writers, and the commits name most of them, but not all.
  * Source: merge-on-read §2, §3.3. */
private[hudilite] final class UnnamedLogs(
    config: TableConfig,
    snapshot: TableSnapshot,
    timeline: Timeline
) {

  /** Returns the log files that may have blocks of writers other than the commits of the timeline.
    * @param from a commit of the timeline; older blocks are not looked for */
  def since(logs: Seq[DataFile], from: String): Seq[DataFile] =
    logs.filter(log => isYoung(log, from) && !isNamed(log))

  /** Whether a log file may have a block that was written since a commit began. The clocks of the
    * writers and of the storage may differ, and a copy of the table is younger than its instants. */
  private def isYoung(log: DataFile, from: String): Boolean = {
    val last = log.modifiedMillis + UnnamedLogs.clocksDifferMillis
    InstantTime.at(last, config.timelineZone) >= from ||
    timeline.stamps.get(from).exists(_.modifiedMillis <= last)
  }

  /** Whether a commit of the timeline has written the last bytes of a log file. */
  private def isNamed(log: DataFile): Boolean =
    snapshot.checkedView.writtenLogs.get(log.partition).flatMap(_.get(log.fileId))
      .exists(_.exists(file => file.name == log.fileName && file.length == log.length))
}

private object UnnamedLogs {

  /** Most by which the clocks of writers and of the storage differ: a day, which includes zones. */
  private val clocksDifferMillis = 86400000L
}
