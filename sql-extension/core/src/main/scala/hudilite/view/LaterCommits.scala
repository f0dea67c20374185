package hudilite.view

import hudilite.timeline.{CommitMetadata, WriteStat}

/** What later commits tell of an earlier state: a listing alone does not show what was cleaned. */
private[view] object LaterCommits {

  /** File groups whose files the commits have replaced or hidden.
    * @param commits   in the order in which they came to count
    * @param isCounted whether the earlier state counts an instant's files
    * @return partition to file id to the instant of the file that the earlier state had, "" where no
    *         commit names it */
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
