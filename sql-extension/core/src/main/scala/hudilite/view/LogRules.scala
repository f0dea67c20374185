package hudilite.view

import hudilite.format.LogFileName

/** Rules that assign the log files of a merge-on-read table to file slices.
  * @param completions None in table version 6, in which the name of a log file contains the instant of
  *                    its slice's base; else the times of completion of committed instants, by instant.
  *                    An instant without one was archived and counts as completed when it began
  * Source: merge-on-read §2, §5.1, §5.3. */
private[view] final case class LogRules(completions: Option[Map[String, String]]) {

  /** Whether a log file's name shows that it may contain rows of a snapshot. In version 6 its blocks
    * tell, because one file may have blocks of several instants. */
  def mayCount(log: LogFileName, isCommitted: String => Boolean): Boolean =
    completions.isEmpty || isCommitted(log.instant)

  /** Whether a log file is that of the slice with this instant or of a compaction which is planned
    * after it.
    * @param slice instant of the latest committed base of the file group */
  def isSince(slice: String, log: LogFileName): Boolean = completed(log) >= slice

  private def completed(log: LogFileName): String =
    completions.flatMap(_.get(log.instant)).getOrElse(log.instant)

  /** Instant of a slice without a base file: that of its first log file, in version 6 that in the
    * names of its log files.
    * @param logs log files that may count */
  def withoutBase(logs: Seq[LogFileName], isCommitted: String => Boolean): Option[String] = {
    val times = logs.map(_.instant)
    if (completions.isEmpty) times.filter(isCommitted).maxOption else times.minOption
  }
}
