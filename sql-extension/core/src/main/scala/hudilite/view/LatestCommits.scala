package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.io.SoftCache
import hudilite.timeline.{CommitMetadata, Timeline}

/** Metadata of the latest commit of each table that this JVM has read: a commit's file never
  * changes. */
private[view] object LatestCommits {
  private final case class Known(instant: String, stamp: Timeline.Stamp, commit: CommitMetadata)

  private val tables = new SoftCache[Path, Known]

  /** Returns the metadata of a commit, which is read unless it is known.
    * @param table location of the table
    * @param stamp stamp of the commit's completed file, None if it has none yet */
  def of(table: Path, instant: String, stamp: Option[Timeline.Stamp])(
      read: => Option[CommitMetadata]
  ): Option[CommitMetadata] = {
    def isSame(known: Known): Boolean = known.instant == instant && stamp.contains(known.stamp)
    tables.get(table).filter(isSame).map(_.commit).orElse {
      val found = read
      for (commit <- found; of <- stamp)
        tables.put(table, Known(instant, of, commit))
      found
    }
  }
}
