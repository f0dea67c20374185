package hudilite.service

import java.util.UUID

import scala.annotation.tailrec

import hudilite.commit.{AsOf, CommitLog, CommitNumbers, CommitRecord, Committed}
import hudilite.error.HudiliteException
import hudilite.format.{BucketCounts, TableConfig}
import hudilite.timeline.{
  DoneAction,
  FileGroupRef,
  Instant,
  Markers,
  PendingPlans,
  RestoreRecords,
  Timeline,
  TimelineFiles
}
import hudilite.view.{FileSlice, TableSnapshot}

/** Restore of a table to an earlier state: undoes the commits after it, in commit order, the latest
  * first. Runs on the driver.
  *
  * Before it deletes anything, it takes a commit number that touches all file groups that these
  * commits touched, so that a write based on one of them fails. After a crash, the next call
  * finishes the restore. Until then, readers see the state of one of the commits.
  * @param clock milliseconds since 1970
  * Source: hudi-format §3.10; design D10. */
final class Restore(
    files: TimelineFiles,
    config: TableConfig,
    log: CommitLog,
    clock: () => Long
) {
  import Restore._

  private val storage = files.storage
  private val numbers = new CommitNumbers(files)

  /** Returns what a restore would undo and delete. Writes nothing.
    * @param instant instant of the state
    * Errors: HUDILITE_VERSION_NOT_FOUND; HUDILITE_SNAPSHOT_EXPIRED and those of
    * [[TableSnapshot.slices]] if the state cannot be read any more or a clean is pending that deletes its
    * files; HUDILITE_UNSUPPORTED_TABLE if a log file has blocks of commits that stay, too, or commits
    * after the state were archived. */
  def look(instant: String): Outcome = {
    val lost = after(instant)
    val found = if (lost.isEmpty) Nil else undone(lost, touched(lost)).deleted
    Outcome(None, lost.map(_.time), found.map(_._1.place))
  }

  /** Returns the savepoints of commits that a restore would undo. */
  def saved(instant: String): Seq[String] = {
    val lost = after(instant).map(_.time).toSet
    new Savepoints(files).instants().filter(lost)
  }

  /** Whether the table must become merge-on-read before it is restored: it is copy-on-write, and readers
    * of copy-on-write tables do not see all rows of the state.
    * Errors: those of [[look]]. */
  def needsLogFiles(instant: String): Boolean = config.mayHaveLogs && !config.isMergeOnRead && {
    val (state, slices) = stateAt(instant)
    !slices.forall(state.isSeenAsCopyOnWrite)
  }

  /** Returns the numbers of buckets of a state, None if the table has no buckets.
    * Errors: those of [[look]]. */
  def countsAt(instant: String): Option[BucketCounts] = stateAt(instant)._1.counts

  /** Whether the file groups of a state would have the buckets that they had then.
    * @param now numbers of buckets of the table
    * Errors: those of [[look]]. */
  def keepsBuckets(instant: String, now: BucketCounts): Boolean =
    stateAt(instant)._2.forall { slice =>
      slice.bucket == now.bucketOf(slice.fileId) &&
      slice.bucket.forall(bucket => bucket.count == now.own || bucket.count == now.other)
    }

  /** Finishes restores that are pending, then runs this one. Calling it again has no effect. The caller
    * sees to [[needsLogFiles]].
    * Errors: those of [[look]]; HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE. */
  def run(instant: String): Outcome = log.alone {
    if (needsLogFiles(instant))
      throw new IllegalStateException(s"INTERNAL: the state of $instant has log files")
    if (log.stock.arePresent) checkIdle()
    val begun = pending()
    if (begun.nonEmpty) log.detachBefore()
    val left = begun.map(finish)
    val own = claim(instant).map(finish)
    val all = left ++ own
    Outcome(own.flatMap(_.instant), all.flatMap(_.lost), all.flatMap(_.deleted))
  }

  /** Fails while a write is pending: stock Hudi does not find out that a restore has undone a commit on
    * which its write is based. No write begins meanwhile, because that needs the lock.
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  private def checkIdle(): Unit = Timeline.named(files).pending.minOption.foreach { time =>
    throw PendingPlans.unfinished(
      files.basePath,
      time,
      "Wait until it is committed. If its writer is dead, roll it back: CALL rollback(table => " +
        s"'...', instant => '$time'). Then call this again.",
      "write"
    )
  }

  /** Plans the restore and takes its commit number, so that no commit comes in between.
    * @return instant of the restore; None if no commit came after the state */
  @tailrec private def claim(instant: String): Option[String] = {
    val settled = log.settle()
    val lost = after(instant)
    if (lost.isEmpty) None
    else {
      val groups = touched(lost)
      undone(lost, groups): Unit
      log.detachBefore()
      val time = log.request(action, RestoreRecords.plan(lost, instant))
      val record =
        CommitRecord(CommitRecord.Adopted, time, action, UUID.randomUUID.toString, groups, None)
      if (numbers.create(settled.highest + 1, record)) {
        numbers.hint(settled.highest + 1, time)
        Some(time)
      } else {
        files.delete(Instant(time, action, Instant.Requested)): Unit
        claim(instant)
      }
    }
  }

  /** Returns the commits after a state, the latest first. Fails if files of the state are gone or a clean
    * is going to delete them, or if commits after it were archived. */
  private def after(instant: String): Seq[Instant] = {
    val (state, slices) = stateAt(instant)
    val kept = state.instants.toSet
    val timeline = Timeline.load(files)
    val states = Committed.earlier(files)
    val lost = states.steps.flatten.filterNot(kept)
    if (lost.nonEmpty) {
      new Savepoints(files).checkKept(instant, slices)
      state.allSlices: Unit // a clean that is not pending any more has deleted its files
      lost.findLast(states.afterArchived(config)).foreach(next => throw archived(instant, next))
    }
    lost.reverse.flatMap(time => timeline.completed.find(_.time == time))
  }

  private def archived(instant: String, next: String) = HudiliteException(
    "HUDILITE_UNSUPPORTED_TABLE",
    "path" -> files.basePath.toString,
    "fact" -> "archived commits before",
    "value" -> next,
    "fix" -> ("A restore cannot undo archived commits. Restore a commit from " +
      s"$next on, or copy the earlier state: CREATE TABLE ... AS SELECT * FROM ... VERSION AS OF " +
      s"'$instant'.")
  )

  /** Returns a state and all of its slices. Fails if files of it are gone. */
  private def stateAt(instant: String): (TableSnapshot, Seq[FileSlice]) = {
    val state = TableSnapshot.load(files, config, Some(AsOf.Version(instant)))
    state -> state.allSlices
  }

  /** Returns the instants of restores that are planned and not finished. A plan without a number whose
    * restore has not begun deletes nothing: if it is old, its process has died, and it is removed. */
  private def pending(): Seq[String] = {
    val timeline = Timeline.named(files)
    val isNumbered = numbers.instants(numbers.list())
    def hasBegun(time: String) = timeline.instants.exists { i =>
      i.time == time && i.action == action && i.state == Instant.Inflight
    }
    val (numbered, others) = timeline.instants
      .filter(i => i.action == action && i.state == Instant.Requested)
      .filterNot(i => timeline.isCompleted(i.time, action))
      .partition(i => isNumbered(i.time))
    def isOld(plan: Instant) =
      files.status(plan).forall(clock() - _.modifiedMillis >= Cleaner.abandonedMillis)
    others.filter(plan => !hasBegun(plan.time) && isOld(plan)).foreach(files.delete)
    numbered.map(_.time)
  }

  private def finish(time: String): Outcome = {
    val started = clock()
    val lost = RestoreRecords.planned(files, Instant(time, action, Instant.Requested))
    files.create(Instant(time, action, Instant.Inflight)): Unit
    // The latest first: a reader sees one of the states in between.
    files.deleteCompleted(lost.map(i => i.time -> i.action)): Unit
    val found = UndoneFiles.of(files, config, lost.map(_.time).toSet, numbered(time)).deleted
    val gone = storage.deleteAll(found)(of => of._1.path)
    lost.foreach { i =>
      Markers.deleteAll(files, i.time)
      pendingActions(i.action).foreach { action =>
        files.delete(i.copy(action = action, state = Instant.Inflight))
        files.delete(i.copy(action = action, state = Instant.Requested))
      }
    }
    val deleted = lost.map(i => i -> gone.filter(_._2 == i.time).map(_._1.place))
    log.complete(
      time,
      action,
      RestoreRecords.outcome(files.basePath, time, clock() - started, deleted)
    )
    log.detach.after()
    Outcome(Some(time), lost.map(_.time), gone.map(_._1.place))
  }

  /** Returns the actions under which a completed commit was pending. A compaction that is undone is not
    * planned any more. */
  private def pendingActions(action: String): Seq[String] =
    files.layout.pendingActions(action) ++
      (if (config.mayHaveLogs) DoneAction.planned.get(action) else None)

  /** Finds the files of commits.
    * Errors: those of [[UndoneFiles.checkNotShared]]. */
  private def undone(lost: Seq[Instant], groups: Set[FileGroupRef]): UndoneFiles = {
    val found = UndoneFiles.of(files, config, lost.map(_.time).toSet, Some(groups))
    found.checkNotShared(files)
    found
  }

  private def touched(lost: Seq[Instant]): Set[FileGroupRef] = {
    val snapshot = TableSnapshot.load(files, config)
    lost.flatMap(i => snapshot.metadata(i.time)).flatMap(_.fileGroups).toSet
  }

  /** Returns the file groups in the number of a restore: the commits themselves may be gone. */
  private def numbered(time: String): Option[Set[FileGroupRef]] =
    if (!config.mayHaveLogs) None
    else numbers.numbered(numbers.list()).get(time).map(numbers.read(_).touched)
}

object Restore {
  private val action = "restore"

  /** Result of a restore.
    * @param instant instant of the restore, None if none was written
    * @param lost    instants that were undone, or would be, the latest first
    * @param deleted base and log files that were deleted, or would be, relative to the table */
  final case class Outcome(instant: Option[String], lost: Seq[String], deleted: Seq[String])
}
