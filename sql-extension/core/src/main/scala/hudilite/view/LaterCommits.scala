package hudilite.view

import hudilite.timeline.{CommitMetadata, WriteStat}

/** Facts about an earlier table state from the metadata of later commits. A listing alone does not
  * show which files a clean deleted. */
private[view] object LaterCommits {

  /** Returns the file groups whose files the commits replaced or hid.
    * @param commits   later commits, in commit order
    * @param isCounted whether the earlier state includes the files of an instant
    * @return partition to file id to the instant of the file in the earlier state, "" if no commit
    *         names it */
  def replaced(
      commits: Seq[CommitMetadata],
      isCounted: String => Boolean
  ): Map[String, Map[String, String]] = {
    val changes = commits.flatMap { commit =>
      val written = commit.stats.map { stat =>
        (stat.partitionPath, stat.fileId) -> changeOf(stat, isCounted)
      }
      val hidden = commit.replacedFileIds.toSeq.flatMap { case (partition, ids) =>
        ids.map(id => (partition, id) -> Hiding)
      }
      written ++ hidden
    }
    changes.groupMap(_._1)(_._2).toSeq
      .flatMap { case ((partition, id), all) => before(all).map((partition, id, _)) }
      .groupMap(_._1)(group => group._2 -> group._3)
      .map { case (partition, groups) => partition -> groups.toMap }
  }

  /** Change of a file group by a commit. */
  sealed private trait Change

  /** The commit hides the file group. */
  private case object Hiding extends Change

  /** The commit adds a log file and does not name the base. In versions 8 and 9 it never does. */
  private case object Log extends Change

  /** The commit names the file before.
    * @param before its instant; None if the earlier state does not have it */
  private final case class File(before: Option[String]) extends Change

  private def changeOf(stat: WriteStat, isCounted: String => Boolean): Change = {
    val before = Option(stat.prevCommit).filter(t => t != WriteStat.noCommit && isCounted(t))
    if (before.isEmpty && stat.log.nonEmpty) Log else File(before)
  }

  /** Returns the instant of the file that a file group had before its changes. */
  private def before(changes: Seq[Change]): Option[String] =
    if (changes.head == Hiding) Some("")
    else changes.collectFirst { case File(found) => found }.flatten
}
