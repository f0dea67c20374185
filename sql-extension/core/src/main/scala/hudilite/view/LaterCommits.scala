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
    val none = Map.empty[(String, String), Option[String]]
    val found = commits.foldLeft(none) { (all, commit) =>
      val written = commit.stats.map { stat =>
        val before = Option(stat.prevCommit).filter(t => t != WriteStat.noCommit && isCounted(t))
        (stat.partitionPath, stat.fileId) -> before
      }
      val hidden = commit.replacedFileIds.toSeq.flatMap { case (partition, ids) =>
        ids.map(id => (partition, id) -> Option(""))
      }
      (written ++ hidden).foldLeft(all) { case (known, (group, before)) =>
        if (known.contains(group)) known else known + (group -> before)
      }
    }
    found.toSeq
      .collect { case ((partition, id), Some(instant)) => (partition, id, instant) }
      .groupMap(_._1)(group => group._2 -> group._3)
      .map { case (partition, groups) => partition -> groups.toMap }
  }
}
