package hudilite.sizing

import hudilite.timeline.CommitMetadata

/** How widely the changes of commits are spread over the files of a table. Keys without an order,
  * such as random ones, spread over all files; changes of recent keys stay in few. */
object SpreadOfChanges {

  /** Files of a partition below which a commit says nothing. */
  private val leastFiles = 4

  /** Commits below which they say nothing together. */
  private val leastCommits = 3

  /** Returns the fraction of the files of their partitions in which a commit changed rows: the
    * median of the commits that changed any.
    * @param files number of file groups of each partition */
  def of(commits: Seq[CommitMetadata], files: Map[String, Int]): Option[Double] = {
    val shares = commits.filterNot(_.keepsRows).flatMap(share(_, files)).sorted
    Option.when(shares.size >= leastCommits)(shares((shares.size - 1) / 2))
  }

  private def share(commit: CommitMetadata, files: Map[String, Int]): Option[Double] = {
    val changed = commit.stats
      .filter(stat => stat.numUpdateWrites + stat.numDeletes > 0)
      .groupMap(_.partitionPath)(_.fileId)
      .collect {
        case (partition, ids) if files.getOrElse(partition, 0) >= leastFiles =>
          (ids.distinct.size, files(partition))
      }
    Option.when(changed.nonEmpty) {
      math.min(1.0, changed.map(_._1).sum.toDouble / changed.map(_._2).sum)
    }
  }
}
