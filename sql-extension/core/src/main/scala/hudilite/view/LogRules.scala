package hudilite.view

import hudilite.format.LogFileName

/** Rules that assign the log files of a merge-on-read table to file slices.
  * @param completions None in table version 6, in which the name of a log file contains the instant of
  *                    its slice's base; else the times of completion of committed instants, by instant.
  *                    An instant without one was archived
  * Source: merge-on-read §2, §5.1, §5.3. */
private[view] final case class LogRules(completions: Option[Map[String, String]]) {

  /** Whether a log file's name shows that it may contain rows of a snapshot. In version 6 its blocks
    * tell, because one file may have blocks of several instants. */
  def mayCount(log: LogFileName, isCommitted: String => Boolean): Boolean =
    completions.isEmpty || isCommitted(log.instant)

  /** Whether a log file is that of the slice with this instant or of a compaction which is planned
    * after it.
    * @param slice    instant of the latest committed base of the file group
    * @param archived returns when an archived instant was completed, None if that is not known: then
    *                 when it began. Called only if it began before the slice */
  def isSince(slice: String, log: LogFileName, archived: String => Option[String]): Boolean =
    log.instant >= slice || completions.exists { known =>
      known.get(log.instant).orElse(archived(log.instant)).exists(_ >= slice)
    }

  /** Instant of a slice without a base file: that of its first log file, in version 6 that in the
    * names of its log files.
    * @param logs log files that may count */
  def withoutBase(logs: Seq[LogFileName], isCommitted: String => Boolean): Option[String] = {
    val times = logs.map(_.instant)
    if (completions.isEmpty) times.filter(isCommitted).maxOption else times.minOption
  }
}
