package hudilite.view

import hudilite.commit.CommittedFile
import hudilite.error.HudiliteException
import hudilite.io.SoftCache
import hudilite.timeline.{CommitMetadata, Timeline, WriteStat}

/** Latest base file of each file group, and its log files, according to the commits of the active
  * timeline. A JVM caches it for each table, and reads only the commits that were added since. */
private[view] final case class WrittenFiles(
    read: Map[String, Timeline.Stamp],
    latest: CommittedFile.Latest,
    logs: CommittedFile.Logs = Map.empty
) {

  /** Adds the files of one commit. Commits may be added in any order. */
  def grown(time: String, commit: Option[CommitMetadata]): WrittenFiles =
    commit.toSeq.flatMap(_.stats).foldLeft(this)(_.grown(time, _))

  private def grown(time: String, stat: WriteStat): WrittenFiles = {
    val file = CommittedFile(time, stat.fileName, stat.fileSizeInBytes)
    if (SnapshotView.isLog(stat.fileName)) {
      val groups = logs.getOrElse(stat.partitionPath, Map.empty)
      val files = groups.getOrElse(stat.fileId, Vector.empty) :+ file
      copy(logs = logs + (stat.partitionPath -> (groups + (stat.fileId -> files))))
    } else {
      val groups = latest.getOrElse(stat.partitionPath, Map.empty)
      if (groups.get(stat.fileId).exists(_.isAfter(file))) this
      else copy(latest = latest + (stat.partitionPath -> (groups + (stat.fileId -> file))))
    }
  }

  /** Whether all commits read here are among these and unchanged. */
  private def holds(commits: Map[String, Timeline.Stamp]): Boolean =
    read.forall { case (time, stamp) => commits.get(time).contains(stamp) }
}

private[view] object WrittenFiles {

  /** Limits of one call, which bound its time: it reads the newest commits first and skips older
    * ones beyond the limits. */
  private val maxBytes = 64L << 20
  private val maxCommits = 1000
  private val passedOver = Set("HUDILITE_CORRUPT_TIMELINE", "HUDILITE_MISSING_FILE")

  /** Cached states of one table. There are several because readers of different snapshots may run
    * at the same time. */
  private val maxStates = 4

  private val empty = WrittenFiles(Map.empty, Map.empty)
  private val tables = new SoftCache[String, Vector[WrittenFiles]]

  /** Returns the latest files, from the cache or a checkpoint and from the commits that were added
    * since.
    * @param table      key of the table in this JVM
    * @param commits    completed files of the snapshot's commits
    * @param checkpoint latest files according to some of these commits
    * @param metadata   reads the metadata of one commit
    * @return only files of these commits: the cache may know a later one that no longer exists, for
    *         example after the table was restored from a backup */
  def of(
      table: String,
      commits: Map[String, Timeline.Stamp],
      checkpoint: Option[WrittenFiles] = None
  )(metadata: String => Option[CommitMetadata]): WrittenFiles = {
    val states = tables.get(table).getOrElse(Vector.empty)
    val known = states.filter(_.holds(commits)) ++ checkpoint
    val before = known.maxByOption(_.read.size).getOrElse(empty)
    val fresh = commits -- before.read.keys
    val now = grown(before, fresh)(metadata).copy(read = before.read ++ fresh)
    if (fresh.nonEmpty) tables.put(table, (now +: states).take(maxStates))
    now
  }

  /** Returns the latest files of some commits, for an earlier table state. Does not use the
    * cache.
    * @param before latest files of a state that is earlier still, if they are known */
  def upTo(commits: Map[String, Timeline.Stamp], before: Option[WrittenFiles] = None)(
      metadata: String => Option[CommitMetadata]
  ): WrittenFiles = {
    val known = before.filter(_.holds(commits)).getOrElse(empty)
    grown(known, commits -- known.read.keys)(metadata).copy(read = commits)
  }

  /** Adds the files of some commits, within the limits. */
  private def grown(before: WrittenFiles, commits: Map[String, Timeline.Stamp])(
      metadata: String => Option[CommitMetadata]
  ): WrittenFiles = {
    val newest = commits.toVector.sortBy(_._1).reverse
    val sizes = newest.scanLeft(0L)(_ + _._2.bytes).tail
    newest.zip(sizes).takeWhile(_._2 <= maxBytes).take(maxCommits).map(_._1._1)
      .foldLeft(before)((all, time) => all.grown(time, readable(metadata(time))))
  }

  /** Returns None for a commit that is damaged or was archived meanwhile: it then contributes no
    * files. Code that needs the commit reports the error. */
  private def readable(metadata: => Option[CommitMetadata]): Option[CommitMetadata] =
    try metadata
    catch { case e: HudiliteException if passedOver(e.condition) => None }
}
