package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.io.SoftCache
import hudilite.timeline.{CommitMetadata, Timeline}

/** Commits from which tables have their columns. A compaction or clustering may have those from before a
  * change: it counts only if there is no other commit.
  * Source: Hudi's WriteOperationType.canUpdateSchema. */
private[view] object ColumnCommits {

  /** Result for a table.
    * @param passed later commits that do not count
    * @param stamp  stamp of the commit's completed file; one that has the same is the same */
  private final case class Known(
      passed: Map[String, Timeline.Stamp],
      instant: String,
      stamp: Timeline.Stamp,
      commit: CommitMetadata
  )

  private val tables = new SoftCache[Path, Known]

  /** Returns the commit with the columns of a table. Reads each commit that does not count once.
    * @param table  location of the table
    * @param times  committed instants, the latest first
    * @param stamps stamps of their completed files; a result is not kept for a commit without one
    * @param read   metadata of a commit, None if it was archived */
  def of(table: Path, times: Seq[String], stamps: Map[String, Timeline.Stamp])(
      read: String => Option[CommitMetadata]
  ): Option[CommitMetadata] = {
    val known = tables.get(table)
    def isPassed(time: String) =
      known.exists(_.passed.get(time).exists(stamps.get(time).contains))
    def commit(time: String) = known
      .filter(of => of.instant == time && stamps.get(time).contains(of.stamp)).map(_.commit)
      .orElse(read(time)).filter(_.schema.nonEmpty)
    val found = times.iterator.filterNot(isPassed)
      .flatMap(time => commit(time).map(time -> _)).find(!_._2.keepsRows)
    for ((time, commit) <- found; stamp <- stamps.get(time)) {
      val passed = times.takeWhile(_ != time).flatMap(of => stamps.get(of).map(of -> _)).toMap
      tables.put(table, Known(passed, time, stamp, commit))
    }
    found.map(_._2).orElse(times.iterator.flatMap(read).find(_.schema.nonEmpty))
  }
}
