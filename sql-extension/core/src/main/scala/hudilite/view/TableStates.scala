package hudilite.view

import scala.collection.concurrent.TrieMap

import hudilite.commit.{AsOf, Committed, TypeDecision}
import hudilite.format.TableConfig
import hudilite.io.{FileEntry, SoftCache, StorageFault}
import hudilite.timeline.{CommitMetadata, Timeline, TimelineFiles}

/** States of a table that are compared with each other. The timeline, each commit and the listing of
  * each partition are read once for all of them. Only the listings may be asked for by several threads.
  * Errors of the constructor: those of [[TableSnapshot.load]]. */
private[view] final class TableStates(timeline: TimelineFiles, config: TableConfig) {
  private val earlier = StorageFault.explained {
    val found = Committed.earlier(timeline)
    if (!config.isMergeOnRead) TypeDecision.checkRead(timeline, found.latest, config)
    found
  }
  private val mayHaveBucketRules =
    StorageFault.explained(timeline.metadata()).mayHave(timeline.layout.bucketRules)
  private val snapshots = new SoftCache[String, TableSnapshot]
  private val listed = TrieMap.empty[String, Seq[FileEntry]] // partitions are listed in parallel
  private val commits = new SoftCache[String, CommitMetadata]
  private var latest = Option.empty[WrittenFiles]

  /** Committed instants, see [[Committed.steps]]. */
  val steps: Vector[Vector[String]] = earlier.steps

  /** Steps that are settled, see [[hudilite.commit.EarlierStates.settledSteps]]. */
  def settled: Vector[Vector[String]] = earlier.settled

  /** Pending write that holds back the other steps. */
  def holdingBack: Option[String] = earlier.holdingBack

  private lazy val afterArchived = earlier.afterArchived(config)

  /** Returns the first committed instant of the active timeline, see [[Committed.firstActive]]. */
  def firstActive: Option[String] = earlier.latest.firstActive

  /** Whether commits were archived that came between a commit and the one before it on the active
    * timeline, see [[EarlierStates.afterArchived]]. */
  def isAfterArchived(instant: String): Boolean =
    firstActive.exists(instant <= _) && afterArchived(instant)

  /** Returns the state after a commit.
    * Errors: HUDILITE_VERSION_NOT_FOUND if it is not one of the active timeline. */
  def at(instant: String): TableSnapshot = snapshots.get(instant).getOrElse {
    val asked = AsOf.Version(instant)
    val committed = StorageFault.explained(earlier.at(asked))
    val loaded = TableSnapshot.of(timeline, config, committed, asked, mayHaveBucketRules, this)
    snapshots.put(instant, loaded)
    loaded
  }

  /** Lists a partition, or returns what was listed before. */
  def list(partition: String)(read: String => Seq[FileEntry]): Seq[FileEntry] =
    listed.getOrElseUpdate(partition, read(partition))

  /** Reads the metadata of a commit, or returns what was read before. */
  def commit(instant: String)(
      read: String => Option[CommitMetadata]
  ): Option[CommitMetadata] = commits.get(instant).orElse {
    val found = read(instant)
    found.foreach(commits.put(instant, _))
    found
  }

  /** Returns the latest files of some commits; it is faster if the commits of the call before are
    * among them. */
  def written(stamps: Map[String, Timeline.Stamp])(
      metadata: String => Option[CommitMetadata]
  ): WrittenFiles = {
    val now = WrittenFiles.upTo(stamps, latest)(metadata)
    latest = Some(now)
    now
  }
}
