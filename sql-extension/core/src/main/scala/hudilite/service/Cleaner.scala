package hudilite.service

import hudilite.commit.{AsOf, CommitLog, Committed, KeepFiles}
import hudilite.format.TableConfig
import hudilite.io.Requests
import hudilite.timeline.{Cleans, Instant, TimelineFiles}
import hudilite.view.{DataFile, TableSnapshot}

/** Clean of a table: deletes the base and log files that no kept table state shows. Runs on the driver.
  *
  * The plan is on the timeline before the first file is deleted, so that the next clean after a
  * crash finishes it. Running a plan twice does no harm, in one process or in two at once. The
  * files of savepoints and of the latest state are kept, whatever a plan contains. The source files
  * of a bootstrap are never deleted.
  * @param clock milliseconds since 1970
  * Source: hudi-format §3.11; faults F09, F29, F30, F83. */
final class Cleaner(
    timeline: TimelineFiles,
    config: TableConfig,
    log: CommitLog,
    clock: () => Long
) {
  import Cleaner._

  private val storage = timeline.storage
  private val cleans = new Cleans(timeline)
  private val savepoints = new Savepoints(timeline)

  /** Returns what a clean would delete. Writes nothing. */
  def look(retention: Retention): Outcome = {
    val latest = TableSnapshot.load(timeline, config)
    val earliest = retention.earliest(
      Committed.steps(timeline),
      latest.completedMillis,
      clock()
    )
    earliest.fold(Outcome(None, None, Nil, 0)) { instant =>
      val state = TableSnapshot.load(timeline, config, Some(AsOf.Version(instant)))
      val saved = savepoints.files()
      val (kept, doomed) = Requests.of(latest.partitions())(state.superseded).flatten
        .partition(file => saved(file.place))
      Outcome(None, Some(instant), doomed, kept.size)
    }
  }

  /** Finishes earlier cleans that are pending, then deletes the files that are not kept. Writes
    * nothing if there is nothing to do.
    * Errors: HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE. */
  def run(retention: Retention): Outcome = {
    val pending = abandoned()
    val before =
      if (pending.isEmpty) Nil
      else {
        val kept = log.alone(log.keepBefore())
        pending.flatMap(finish(_, kept))
      }
    val found = look(retention)
    if (found.deleted.isEmpty) found.copy(deleted = before)
    else {
      val plan = Cleans.Plan(
        found.earliest.getOrElse(""),
        TableSnapshot.load(timeline, config).lastInstant.getOrElse(""),
        policy,
        found.deleted.map(_.place)
      )
      found.deleted.map(_.partition).distinct.foreach(storage.enter(timeline.basePath, _))
      val (time, kept) = log.requestClean(Cleans.action, cleans.record(plan))
      found.copy(instant = Some(time), deleted = before ++ finish(time, kept))
    }
  }

  /** Returns the instants of earlier cleans that are pending. If stock Hudi writes at the same time, its
    * cleans may be running, and have no heartbeat: those that have begun lately are left to it. */
  private def abandoned(): Seq[String] = {
    val pending = cleans.pending()
    def isOld(time: String) =
      Seq(Instant.Requested, Instant.Inflight)
        .flatMap(state => timeline.status(Instant(time, Cleans.action, state)))
        .forall(file => clock() - file.modifiedMillis >= abandonedMillis)
    if (log.stock.arePresent) pending.filter(isOld) else pending
  }

  /** Executes the plan of a clean.
    * @param listed what it must add to Hudi's metadata table; None if that is not kept
    * @return files that were deleted */
  private def finish(time: String, listed: Option[KeepFiles.Kept]): Seq[DataFile] = {
    val started = clock()
    val plan = cleans.planned(time)
    timeline.create(Instant(time, Cleans.action, Instant.Inflight)): Unit
    val latest = TableSnapshot.load(timeline, config)
    // Read after the plan is written: see Savepoints.create.
    val kept = savepoints.files() ++
      plan.byPartition.keys.flatMap(latest.groups).flatMap(_.places)
    val deleted = plan.byPartition.toSeq.sortBy(_._1).flatMap { case (partition, names) =>
      val found = latest.files(partition).filter(file => names.contains(file.fileName))
      if (found.nonEmpty) storage.enter(timeline.basePath, partition)
      storage.deleteAll(found.filterNot(file => kept(file.place)))(_.path)
    }
    val outcome = cleans.outcome(time, plan, clock() - started, deleted.map(_.place))
    val isKept = log.completeClean(time, Cleans.action, outcome, gone(plan, kept), listed)
    log.detach.after(isKept)
    deleted
  }

  /** Returns the names of the files of a plan that are not there after it was executed, by partition
    * path.
    * @param kept files that it did not delete, relative to the table */
  private def gone(plan: Cleans.Plan, kept: Set[String]): Map[String, Seq[String]] =
    plan.copy(files = plan.files.filterNot(kept)).byPartition
}

object Cleaner {

  /** Hudi's name of the policy that keeps what the latest commits need. */
  private val policy = "KEEP_LATEST_COMMITS"

  /** Age from which a clean of stock Hudi, or a restore that has not begun, is not running any more: one
    * hour. */
  private[service] val abandonedMillis = 3600000L

  /** Result of a clean.
    * @param instant  instant of the clean, None if none was written
    * @param earliest instant of the earliest state that is kept, None while all are
    * @param deleted  files that were deleted, or would be
    * @param saved    number of files that are kept only by a savepoint */
  final case class Outcome(
      instant: Option[String],
      earliest: Option[String],
      deleted: Seq[DataFile],
      saved: Int
  )
}
