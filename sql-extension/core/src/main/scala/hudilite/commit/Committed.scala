package hudilite.commit

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.BucketCounts
import hudilite.timeline.{
  CommitMetadata,
  FileGroupRef,
  Instant,
  MetadataFolder,
  Rollbacks,
  Timeline,
  TimelineFiles
}

/** Commits that a reader counts, up to one commit number. If the completed file of the highest
  * number is missing, its content is taken from the number, and the file is not created.
  * @param timeline    the active timeline as listed
  * @param number      highest number counted, 0 if there is none
  * @param times       committed instants of the active timeline
  * @param uncommitted instants that are pending, were aborted, or got a number after this one
  * @param unpublished record of the highest number while its completed file is missing
  * @param found       the numbers, hints and checkpoints as listed
  * @param later       committed instants that a reader of an earlier state does not count, in their
  *                    order
  * @param checkpoint  summary of the commits up to a number at or below the highest
  * Source: design D10. */
final case class Committed private (
    timeline: Timeline,
    number: Long,
    times: Vector[String],
    uncommitted: Set[String],
    private val unpublished: Option[CommitRecord],
    private[hudilite] val found: CommitNumbers.Found,
    later: Vector[String] = Vector.empty,
    checkpoint: Option[Committed.Covered] = None
) {

  /** Returns the state that a write based on these commits has seen. */
  def base: CommitBase =
    CommitBase(number, times.toSet, (timeline.lastTime ++ found.hints.values).maxOption)

  /** Returns the stamps of the completed files of the commits that count, by instant time. */
  def stamps: Map[String, Timeline.Stamp] = timeline.stamps -- uncommitted

  /** Returns the instants of the commits whose completed file may still be missing. */
  def unpublishedTimes: Seq[String] = unpublished.toSeq.flatMap(_.instants)

  /** Returns the first committed instant of the active timeline; see [[Timeline.firstActive]]. */
  def firstActive: Option[String] =
    timeline
      .copy(timeline.instants.filter(i => !uncommitted(i.time)))
      .firstActive
      .orElse(times.headOption)

  /** Returns the instants of the committed replacecommits, in order. */
  def replaceCommits: Vector[String] =
    (timeline.completed
      .filter(i => i.action == Instant.replaceCommit && !uncommitted(i.time))
      .map(_.time) ++ unpublished.filter(_.action == Instant.replaceCommit).map(_.instant)).sorted

  /** Returns a new checkpoint of these commits, None if their highest number has no hint. Reads the
    * numbers since the last checkpoint whose instants are not completed.
    * @param table    uuid of the table
    * @param replaced file groups that the replacecommits hid
    * @param latest   latest files according to the commits
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  private[hudilite] def summary(
      files: TimelineFiles,
      table: String,
      replaced: Map[FileGroupRef, String],
      latest: CommittedFile.Latest
  ): Option[CommitCheckpoint] = {
    val numbers = new CommitNumbers(files)
    val last = checkpoint.map(_.checkpoint).orElse(numbers.checkpoint(found, Some(table)))
    found.hints.get(number).map { instant =>
      val since = last.fold(0L)(_.number) + 1 to number
      val aborted = numbers.aborted(since, found.hints)(!timeline.completedTimes(_))
      CommitCheckpoint(
        table,
        number,
        instant,
        Committed.digest(timeline, found.instantsUpTo(number)),
        last.fold(Set.empty[String])(_.aborted) ++ aborted,
        replaced,
        latest,
        TypeDecision.last(found.hints.filter(_._1 <= number)).orElse(last.flatMap(_.retyped)),
        CountsDecision.at(found.hints, number).orElse(last.flatMap(_.counts))
      )
    }
  }

  /** Returns the last change of the table type by a number. */
  private[hudilite] def retyped: Option[TypeDecision.Decided] =
    TypeDecision.last(found.hints).orElse(checkpoint.flatMap(_.checkpoint.retyped))

  /** Returns the numbers of buckets as of the highest number; None if no number has changed those that
    * the properties state. */
  private[hudilite] lazy val counts: Option[BucketCounts] = CountsDecision.at(found.hints, number)
    .orElse(checkpoint.flatMap(_.checkpoint.counts))
    .orElse(CountsDecision.before(found.hints, number))

  /** Returns the metadata of a committed instant, or None if it is not on the active timeline.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def metadata(files: TimelineFiles, time: String): Option[CommitMetadata] =
    unpublished
      .flatMap { r =>
        r.metadataOf(time).map(CommitMetadata.ofJson(_, files.path(r.shown(files.layout))))
      }
      .orElse(
        timeline
          .completedAt(time)
          .map(files.commit(_, timeline.stamps.get(time).map(_.bytes)))
      )
}

object Committed {

  /** Checkpoint that fits the numbers, with the instants whose commits it covers. */
  final case class Covered(
      private[hudilite] val checkpoint: CommitCheckpoint,
      instants: Set[String]
  ) {

    /** Whether the completed files are those from which the checkpoint was made. */
    private[commit] def isUnchanged(timeline: Timeline): Boolean =
      checkpoint.stamps == digest(timeline, instants)
  }

  private def digest(timeline: Timeline, instants: Set[String]): String =
    CommitCheckpoint.digest(timeline.stamps.filter(s => instants(s._1)))

  /** Reads the commits of a table; never writes. The result is exact even while others commit: see
    * [[NumberedTimeline]].
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def load(files: TimelineFiles): Committed = load(files, None, files.metadata())

  /** Reads the commits as [[load]] does, starting from the newest checkpoint.
    * @param table  uuid of the table; a checkpoint with another one is ignored
    * @param folder listing of the metadata folder from which the reading starts
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def ofTable(files: TimelineFiles, table: String, folder: MetadataFolder): Committed =
    load(files, Some(table), folder)

  private def load(
      files: TimelineFiles,
      table: Option[String],
      folder: MetadataFolder
  ): Committed = {
    val numbers = new CommitNumbers(files)
    val read = NumberedTimeline.load(files, table, folder)
    checkMoved(files, read)
    val NumberedTimeline(timeline, found, later, covered) = read
    val listed = CommitNumbers.Listing(found.highest, found.hints)
    val lost = later.filter(_.kind == CommitRecord.Abort).map(_.instant).toSet
    val last = unseen(numbers, listed, timeline)
    val unpublished = last.filter(isUnpublished(_, timeline))
      .filter(r => !lost(r.instant) && isLive(files, timeline, r))
    val rescaled = last.filter(_.kind == CommitRecord.Rescaled).map(listed.highest -> _.instant)
    val notYet = later.filter(_.kind == CommitRecord.Commit).flatMap(_.instants).toSet
    val times = timeline.completedTimes -- notYet ++ unpublished.toSeq.flatMap(_.instants)
    Committed(
      timeline,
      listed.highest,
      times.toVector.sorted,
      timeline.pending ++ timeline.plannedCompactions ++ notYet ++ lost ++
        aborted(numbers, found, timeline, covered.map(_.checkpoint)) -- times,
      unpublished,
      found.copy(hints = found.hints ++ rescaled),
      checkpoint = covered
    )
  }

  /** Reads the commits that counted at an earlier state.
    * Errors: HUDILITE_VERSION_NOT_FOUND, HUDILITE_CORRUPT_TIMELINE. */
  def load(files: TimelineFiles, asked: AsOf): Committed = earlier(files).at(asked)

  /** Reads the commits of all states.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def earlier(files: TimelineFiles): EarlierStates = new EarlierStates(files, statesOf(files))

  private[commit] def at(files: TimelineFiles, states: States, asked: AsOf): Committed = {
    val latest = states.latest
    val kept = states.upTo(asked) match {
      case States.Counted(times) => times
      case States.Unknown => throw notFound(files, asked, states)
      case States.ShownTwice(instant) => throw shownTwice(files.basePath, asked, instant)
    }
    latest.copy(
      number = states.reached(kept),
      times = kept.sorted,
      uncommitted = latest.uncommitted ++ states.after(kept),
      unpublished = latest.unpublished.filter(r => kept.contains(r.instant)),
      later = states.order.filterNot(kept.toSet),
      checkpoint = None
    )
  }

  /** Returns the committed instants of the active timeline in the order in which they became
    * visible. Instants that became visible at once are in one element.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def steps(files: TimelineFiles): Vector[Vector[String]] = statesOf(files).steps

  private def statesOf(files: TimelineFiles): States = {
    val numbers = new CommitNumbers(files)
    val latest = load(files)
    new States(latest, numbers.numbered(numbers.list()), requestedMillis(files, latest))
  }

  private def requestedMillis(files: TimelineFiles, latest: Committed)(time: String) =
    latest.timeline.instants
      .find(i => i.time == time && i.isWrite && i.state == Instant.Requested)
      .flatMap(files.status)
      .map(_.modifiedMillis)

  private def notFound(files: TimelineFiles, asked: AsOf, states: States) = {
    def isKnown(time: String) =
      states.numbers.contains(time) || Timeline.named(files).instants.exists(_.time == time)
    val (reason, fix) = asked match {
      case _ if states.order.isEmpty => ("it has no commit yet", "Write to the table first.")
      case AsOf.Version(time) if isKnown(time) =>
        ("this instant is pending, rolled back or archived, or it changed no rows",
          Committed.others)
      case AsOf.Version(_) => ("no commit has that instant", Committed.others)
      case _: AsOf.Number if states.latest.number == 0 =>
        ("its commits have no numbers until hudilite writes to it", Committed.others)
      case AsOf.Number(n) if n < 1 => ("commit numbers begin at 1", Committed.others)
      case AsOf.Number(n) if n > states.latest.number =>
        (s"its highest commit number is ${states.latest.number}", Committed.others)
      case _: AsOf.Number =>
        ("the commit with this number is rolled back or archived, or it changed no rows",
          Committed.others)
      case _: AsOf.Until | _: AsOf.Repeated =>
        (s"it is before the first commit, ${states.order.min}", "Write a later time.")
    }
    noVersion(files.basePath, asked, reason, fix)
  }

  private def shownTwice(basePath: Path, asked: AsOf, instant: String) = noVersion(
    basePath,
    asked,
    "this hour came twice when clocks were set back, and the files of commit " +
      s"$instant do not record which one it was",
    s"Read a commit: VERSION AS OF '$instant'."
  )

  private def noVersion(basePath: Path, asked: AsOf, reason: String, fix: String) =
    HudiliteException(
      "HUDILITE_VERSION_NOT_FOUND",
      "table" -> basePath.toString,
      "version" -> asked.text,
      "reason" -> reason,
      "fix" -> fix
    )

  private val others =
    "CALL show_timeline(table => '...') lists the instants of the table."

  /** Returns aborted instants that have no file on the timeline and are lower than its first
    * commit. Files of such an instant would count as those of an archived commit, and a task that
    * has not noticed the abort may still write one. A checkpoint names them even if an archival has
    * removed commits that it covers. */
  private def aborted(
      numbers: CommitNumbers,
      found: CommitNumbers.Found,
      timeline: Timeline,
      covered: Option[CommitCheckpoint]
  ): Set[String] = {
    def mayCount(instant: String) =
      timeline.firstActive.exists(instant < _) && !timeline.isKnown(instant) &&
        !Instant.isChange(instant)
    val checkpoint = covered.orElse(
      if (found.hints.valuesIterator.exists(mayCount)) numbers.checkpoint(found, None) else None
    )
    val since = checkpoint.fold(0L)(_.number) + 1 to found.highest
    checkpoint.fold(Set.empty[String])(_.aborted.filter(mayCount)) ++
      numbers.aborted(since, found.hints)(mayCount)
  }

  /** Whether the instant of a number without a completed file can still be completed. Its inflight
    * file is there, no rollback names it, and the name of its completed file is known. */
  private[commit] def isLive(
      files: TimelineFiles,
      timeline: Timeline,
      record: CommitRecord
  ): Boolean =
    record.completed(files.layout).nonEmpty &&
      timeline.isInflight(record.instant, record.action) &&
      !Rollbacks.name(files, timeline, record.instant)

  /** Whether a number is a commit without its completed file. */
  private[commit] def isUnpublished(record: CommitRecord, timeline: Timeline): Boolean =
    record.kind == CommitRecord.Commit && !timeline.isCompleted(record.instant, record.action)

  /** Returns the record of the highest number unless its hint says that it needs no look: it is
    * completed, or changes the table. */
  private[commit] def unseen(
      numbers: CommitNumbers,
      listed: CommitNumbers.Listing,
      timeline: Timeline
  ): Option[CommitRecord] = {
    def isSeen(time: String) = timeline.completedTimes(time) || Instant.isChange(time)
    if (listed.highest == 0 || listed.hints.get(listed.highest).exists(isSeen)) None
    else Some(numbers.read(listed.highest))
  }

  /** Fails if the timeline was moved into another layout while it was read: its files are deleted from
    * the old one. Before that, the properties state the new one.
    * Errors: HUDILITE_CONCURRENT_WRITE. */
  private def checkMoved(files: TimelineFiles, read: NumberedTimeline): Unit = {
    val added = read.later.filter(_.kind == CommitRecord.Moved).map(_.instant)
    val later = added.zipWithIndex.map { case (time, n) => read.found.highest + n + 1 -> time }
    TimelineMove.last(read.found.hints ++ later)
      .filter(_.layout != files.layout.version)
      .filter(_ => files.config().version.timelineLayout != files.layout.version)
      .foreach(move => throw TimelineMove.changed(files.basePath.toString, move.number))
  }
}
