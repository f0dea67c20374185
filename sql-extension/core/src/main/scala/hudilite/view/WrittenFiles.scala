package hudilite.view

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap

import hudilite.error.HudiliteException
import hudilite.timeline.{CommitMetadata, Timeline}

/** A base file as its commit names it.
  * @param instant of the commit
  * @param name    of the file
  * @param length  in bytes, 0 where the commit tells none */
private[view] final case class WrittenFile(instant: String, name: String, length: Long) {

  /** Later, or of two attempts of one commit the one that counts. */
  def isAfter(other: WrittenFile): Boolean =
    instant > other.instant || instant == other.instant && name > other.name

  /** Errors: HUDILITE_CORRUPT_DATA_FILE when the file has another length. */
  def checkLength(found: FileSlice): Unit =
    if (length > 0 && found.length != length)
      throw HudiliteException(
        "HUDILITE_CORRUPT_DATA_FILE",
        "path" -> found.path.toString,
        "reason" -> s"it has ${found.length} bytes, and its commit wrote $length"
      )
}

/** The latest base file of each file group by what the commits of the active timeline say. A JVM
  * keeps it for each table and reads the commits alone that came since. */
private[view] final case class WrittenFiles(
    read: Map[String, Timeline.Stamp],
    latest: WrittenFiles.Latest
) {

  /** Whether all that was read here is of these commits. */
  private def holds(commits: Map[String, Timeline.Stamp]): Boolean =
    read.forall { case (time, stamp) => commits.get(time).contains(stamp) }
}

private[view] object WrittenFiles {

  /** Partition to file id to file. */
  type Latest = Map[String, Map[String, WrittenFile]]

  /** What is beyond it at a look, of the older commits, is passed over: time is bounded. */
  private val maxBytes = 64L << 20
  private val maxCommits = 1000
  private val passedOver = Set("HUDILITE_CORRUPT_TIMELINE", "HUDILITE_MISSING_FILE")

  /** States of a table that are kept: readers of some snapshots may be at work at once. */
  private val maxStates = 4

  private val empty = WrittenFiles(Map.empty, Map.empty)
  private val tables = new ConcurrentHashMap[String, SoftReference[Vector[WrittenFiles]]]

  /** @param table    names the table in this JVM
    * @param commits  completed files of the snapshot's commits
    * @param metadata reads one of them
    * @return names files of these commits alone: a later one may be known that is no more, as when
    *         a table was put back from a backup */
  def of(table: String, commits: Map[String, Timeline.Stamp])(
      metadata: String => Option[CommitMetadata]
  ): Latest = {
    val states = Option(tables.get(table)).flatMap(r => Option(r.get)).getOrElse(Vector.empty)
    val before = states.filter(_.holds(commits)).maxByOption(_.read.size).getOrElse(empty)
    val fresh = (commits -- before.read.keys).toVector.sortBy(_._1).reverse
    val sizes = fresh.scanLeft(0L)(_ + _._2.bytes).tail
    val latest = fresh.zip(sizes).takeWhile(_._2 <= maxBytes).take(maxCommits).map(_._1._1)
      .foldLeft(before.latest)((all, time) => grown(all, time, readable(metadata(time))))
    if (fresh.nonEmpty) {
      val now = WrittenFiles(before.read ++ fresh, latest)
      tables.put(table, new SoftReference((now +: states).take(maxStates)))
    }
    latest
  }

  /** Of some commits alone, for an earlier state; nothing is kept. */
  def upTo(commits: Set[String])(metadata: String => Option[CommitMetadata]): Latest =
    commits.toVector.sorted.reverse.take(maxCommits)
      .foldLeft(empty.latest)((all, time) => grown(all, time, readable(metadata(time))))

  /** With the files of one commit more, in any order. */
  def grown(latest: Latest, time: String, commit: Option[CommitMetadata]): Latest =
    commit.toSeq.flatMap(_.stats).foldLeft(latest) { (all, stat) =>
      val groups = all.getOrElse(stat.partitionPath, Map.empty)
      val file = WrittenFile(time, stat.fileName, stat.fileSizeInBytes)
      if (groups.get(stat.fileId).exists(_.isAfter(file))) all
      else all + (stat.partitionPath -> (groups + (stat.fileId -> file)))
    }

  /** A commit that is damaged or was archived meanwhile tells of no files; what needs it says so. */
  private def readable(metadata: => Option[CommitMetadata]): Option[CommitMetadata] =
    try metadata
    catch { case e: HudiliteException if passedOver(e.condition) => None }
}
