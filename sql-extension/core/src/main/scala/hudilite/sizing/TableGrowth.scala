package hudilite.sizing

import hudilite.timeline.{CommitMetadata, FileGroupRef, WriteStat}

/** Growth of a table's base files over some days, as its commits show it.
  * @param days    length of the history that shows it
  * @param bytesIn bytes by which each partition has grown that was there when the history began
  * @param later   bytes of partitions that came later */
final case class TableGrowth(days: Double, bytesIn: Map[String, Long], later: Long) {

  /** Bytes a day, of all partitions. */
  def perDay: Long = ((bytesIn.values.sum + later) / days).round

  /** Returns the bytes by which a partition grows in the next days. A partition that came during
    * the history keeps its size: a partition of one day is complete soon. */
  def of(partition: String, days: Int): Double =
    bytesIn.getOrElse(partition, 0L) / this.days * days
}

object TableGrowth {

  /** Days below which a history says nothing about growth. */
  val leastDays = 1.0

  private val dayMillis = 24 * 60 * 60 * 1000.0

  /** A commit, and when it began.
    * @param millis milliseconds since 1970 */
  final case class Commit(instant: String, millis: Long, metadata: CommitMetadata)

  /** Returns the growth after the first load. Commits of the first day belong to that load: the
    * history begins with the last of them, and if it is unknown what a commit has added, with that
    * one.
    * @param commits commits in their order
    * @param oldest  least instant of the latest files of each partition
    * @param now     the time, in milliseconds since 1970
    * @return None if the history is too short */
  def of(commits: Seq[Commit], oldest: Map[String, String], now: Long): Option[TableGrowth] = {
    val walk = commits.foldLeft(Walk(Map.empty, None, None, Map.empty, Set.empty))(_ after _)
    walk.began.map(first => first -> (now - first.millis) / dayMillis)
      .filter { case (_, days) => days >= leastDays }
      .map { case (first, days) =>
        def wasThere(partition: String) =
          walk.known(partition) || oldest.get(partition).exists(_ <= first.instant)
        val (grown, later) = walk.grown.partition { case (partition, _) => wasThere(partition) }
        TableGrowth(days, grown, later.values.sum)
      }
  }

  /** History up to a commit.
    * @param sizes bytes of the base files that the commits name
    * @param first first load, or the oldest commit
    * @param began commit with which the history begins
    * @param grown bytes by which each partition has grown since
    * @param known partitions that were there when it began */
  private final case class Walk(
      sizes: Map[FileGroupRef, Long],
      first: Option[Commit],
      began: Option[Commit],
      grown: Map[String, Long],
      known: Set[String]
  ) {
    def after(commit: Commit): Walk = {
      val written = commit.metadata.stats.filter(_.log.isEmpty)
      val replaced = commit.metadata.replacedFileIds.toSeq.flatMap { case (partition, ids) =>
        ids.map(FileGroupRef(partition, _))
      }
      val changes = written.map(change(_, commit.metadata)) ++
        replaced.map(ref => sizes.get(ref).map(bytes => ref.partition -> -bytes))
      val now = sizes -- replaced ++ written.map(stat => refOf(stat) -> stat.fileSizeInBytes)
      val start = first.filterNot(_ => isFirstLoad(written)).orElse(Some(commit))
      val isOfFirstDay = start.exists(commit.millis - _.millis < leastDays * dayMillis)
      if (isOfFirstDay || changes.exists(_.isEmpty))
        Walk(now, start, Some(commit), Map.empty, now.keySet.map(_.partition))
      else {
        val added = changes.flatten.groupMapReduce(_._1)(_._2)(_ + _)
        val old = written.filter(stat => !stat.isOfNewGroup && !sizes.contains(refOf(stat)))
        val all = added.foldLeft(grown) { case (sums, (partition, bytes)) =>
          sums.updated(partition, sums.getOrElse(partition, 0L) + bytes)
        }
        copy(sizes = now, grown = all, known = known ++ old.map(_.partitionPath))
      }
    }

    /** Whether a commit writes the first files: those before it only declared the table. */
    private def isFirstLoad(written: Seq[WriteStat]): Boolean =
      sizes.isEmpty && grown.isEmpty && written.nonEmpty && written.forall(_.isOfNewGroup)

    /** Returns by how many bytes a base file is larger than the one before it. If that one is not
      * known, the rows of the new one tell. None if these do not either, as after a compaction. */
    private def change(stat: WriteStat, commit: CommitMetadata): Option[(String, Long)] = {
      val before = sizes.get(refOf(stat))
      val bytes =
        if (before.nonEmpty || stat.isOfNewGroup) Some(stat.fileSizeInBytes - before.getOrElse(0L))
        else
          Option.when(stat.numWrites > 0 && !commit.keepsRows) {
            val share = (stat.numInserts - stat.numDeletes).toDouble / stat.numWrites
            (stat.fileSizeInBytes * share).round
          }
      bytes.map(stat.partitionPath -> _)
    }

    private def refOf(stat: WriteStat) = FileGroupRef(stat.partitionPath, stat.fileId)
  }
}
