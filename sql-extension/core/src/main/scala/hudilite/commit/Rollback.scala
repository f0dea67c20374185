package hudilite.commit

import scala.annotation.tailrec

import hudilite.format.{BaseFileName, LogFileBlocks, LogFileName, LogInstants, PartitionPath}
import hudilite.io.Storage
import hudilite.timeline.{
  Instant,
  Markers,
  PendingPlans,
  RollbackRecords,
  Rollbacks,
  Timeline,
  TimelineFiles
}

/** Rollback of writes that began and never committed, of hudilite or of stock Hudi. Runs on the
  * driver.
  *
  * The rollback takes a commit number before it deletes anything, so that a writer that continues
  * late collides with it. Every step can be repeated, by one process after a crash or by two at
  * once.
  * @param clock milliseconds since 1970, for the age of a pending instant and for durations
  * Source: design D10, hudi-format §3.10. */
final class Rollback(files: TimelineFiles, log: CommitLog, clock: () => Long) {
  import Rollback._

  private val storage = files.storage
  private val numbers = new CommitNumbers(files)

  /** Rolls back every pending write without any recent timeline file, and deletes what writes that
    * have ended left ([[deleteMarkers]]). A clustering that stock Hudi planned is not rolled back.
    * @param afterMillis minimum age of the write's latest timeline file, by the storage's clock
    *                    against this process's clock
    * @return the writes that were rolled back, oldest first */
  def rollBackOlderThan(afterMillis: Long): Seq[Outcome] = {
    val folder = files.metadata()
    val timeline = Timeline.named(files, folder)
    if (folder.mayHave(files.layout.markers)) deleteMarkers(timeline)
    timeline.pending.toVector.sorted
      .filter(time => isOld(timeline, time, afterMillis) && !isClustering(timeline, time))
      .filterNot(log.stock.isAlive)
      .flatMap(rollBack(_).toOption)
  }

  /** Rolls back one write, or finishes a rollback of it. Calling it again has no effect.
    * @param time instant of the write
    * @return the reason why it is not rolled back, or what was done */
  def rollBack(time: String): Either[Refusal, Outcome] = log.alone {
    val timeline = log.settle().timeline
    val states = timeline.instants.filter(_.time == time)
    val made = Rollbacks.of(files, timeline, time)
    states.find(_.isWrite) match {
      case Some(_) if timeline.completedTimes(time) =>
        Markers.deleteAll(files, time)
        Left(IsCommitted)
      case Some(_) if isClustering(timeline, time) => Left(IsPlanned)
      case Some(_) if log.stock.isAlive(time) => Left(IsAlive)
      case Some(_) if log.detach.isStocks(time) => Left(IsListed)
      case Some(lost) if lost.action == Instant.deltaCommit && left(time).isShared => Left(IsShared)
      case Some(lost) =>
        log.detach.beforeRollback(timeline, time)
        if (claim(lost)) Right(undo(lost, made.headOption)) else Left(IsCommitted)
      case None if made.nonEmpty => Right(Outcome(time, made.head.time, Nil))
      case None => Left(if (states.isEmpty) IsUnknown else IsNoWrite)
    }
  }

  /** Rolls back everything that uncommitted bootstraps of the table left, so that a new one can
    * begin: their files, the bootstrap index and all files of the timeline. A bootstrap that is
    * still running finds its number taken.
    * @return false, and nothing is deleted, if the table has a commit */
  def rollBackBootstrap(): Boolean = {
    val timeline = log.settle().timeline
    val begun = timeline.instants
      .filter(i => Instant.bootstraps.contains(i.time) && i.isWrite)
      .distinctBy(_.time)
    timeline.completed.isEmpty && begun.forall(claim) && {
      Instant.bootstraps.foreach(deleteLeft)
      deleteBootstrapIndex()
      timeline.instants.reverse.foreach(files.delete)
      true
    }
  }

  /** Deletes the markers of writes that have ended: of committed ones, and of ones that have no
    * timeline file. A writer creates its requested file before its first marker and deletes it last,
    * so an instant that a second listing does not find either has ended: its writer aborted it and
    * the store executed the creation of a marker late, or it was rolled back, and then the files that
    * the markers name are deleted too. */
  private def deleteMarkers(timeline: Timeline): Unit = {
    val (known, unknown) = Markers.instants(files).partition(timeline.isKnown)
    known.filter(timeline.completedTimes).foreach(Markers.deleteAll(files, _))
    if (unknown.nonEmpty) unknown.filterNot(Timeline.named(files).isKnown).foreach { time =>
      if (numbers.isAborted(time)) deleteLeft(time): Unit else Markers.deleteAll(files, time)
    }
  }

  private def isOld(timeline: Timeline, time: String, afterMillis: Long): Boolean = {
    val seen = timeline.instants
      .filter(_.time == time)
      .flatMap(files.status(_))
      .map(_.modifiedMillis)
    seen.maxOption.exists(last => clock() - last >= afterMillis)
  }

  private def isClustering(timeline: Timeline, time: String): Boolean =
    PendingPlans.clusterings(files, timeline).exists(_.time == time)

  /** Takes a number for an abort record of the instant; after that the instant cannot commit.
    * @return false if it has committed before */
  @tailrec private def claim(lost: Instant): Boolean = {
    val settled = log.settle()
    if (settled.timeline.completedTimes(lost.time)) false
    else if (!Instant.bootstraps.contains(lost.time) && numbers.isAborted(lost.time)) true
    else if (numbers.create(settled.highest + 1, CommitLog.abort(lost.time, lost.action))) {
      numbers.hint(settled.highest + 1, lost.time)
      true
    } else claim(lost)
  }

  private def undo(lost: Instant, made: Option[Instant]): Outcome = {
    val started = clock()
    val toDelete = left(lost.time).files
    val plan = RollbackRecords.plan(files.basePath, lost, toDelete)
    val time = made.fold(log.request(action, plan))(_.time)
    files.create(Instant(time, action, Instant.Inflight)): Unit
    val deleted = storage.deleteAll(toDelete)(files.at)
    if (lost.time == Instant.bootstrap) deleteBootstrapIndex()
    log.complete(
      time,
      action,
      RollbackRecords.outcome(files.basePath, time, lost, clock() - started, toDelete)
    )
    files.delete(lost.copy(state = Instant.Inflight))
    val late = deleteLeft(lost.time)
    files.delete(lost.copy(state = Instant.Requested))
    log.stock.forget(lost.time)
    Outcome(lost.time, time, (deleted ++ late).distinct)
  }

  /** Deletes the base and log files of an instant that never commits, then its markers.
    * @return these files */
  private def deleteLeft(time: String): Seq[String] = {
    val deleted = storage.deleteAll(left(time).files)(files.at)
    Markers.deleteAll(files, time)
    deleted
  }

  private def deleteBootstrapIndex(): Unit =
    storage.deleteTree(files.at(files.layout.bootstrapIndex)): Unit

  /** Finds the base and log files of an instant, by its markers. If it has no markers, searches all
    * folders. */
  private def left(time: String): LeftFiles = {
    val areMarked = Markers.exist(files, time)
    val found = (if (areMarked) Markers.dataFiles(files, time) else filesBelow(""))
      .filterNot(_.split('/').contains("..")).distinct.sorted
    val named = found.filter(instantInName(_).contains(time))
    if (files.layout.namesCompletion) LeftFiles(named, isShared = false)
    else {
      val logs = found.filter(logName(_).nonEmpty)
      val (shared, whole) =
        (if (areMarked) logs else unnamed(logs)).flatMap(ownLog(time, areMarked)).partition(_._2)
      LeftFiles(named.filter(logName(_).isEmpty) ++ whole.map(_._1), shared.nonEmpty)
    }
  }

  private def logName(file: String): Option[LogFileName] =
    LogFileName.parse(BaseFileName.last(file))

  private def instantInName(file: String): Option[String] = BaseFileName
    .parse(BaseFileName.last(file)).map(_.instant).orElse(logName(file).map(_.instant))

  /** Returns a log file of version 6 to which an instant has written, and whether others have, too: its
    * name does not tell. None for another one.
    * @param isMarked whether a marker of the instant names it: then it has created the file, or was about
    *                 to write to it */
  private def ownLog(time: String, isMarked: Boolean)(file: String): Option[(String, Boolean)] = {
    val path = files.at(file)
    storage.status(path).flatMap { entry =>
      if (entry.length > Storage.maxReadBytes) Some(file -> true)
      else {
        val in = LogInstants.of(LogFileBlocks.read(storage.read(path), path.toString))
        val isShared = in.besides(time).nonEmpty
        Option.when(in.written(time) || isMarked && !isShared)(file -> isShared)
      }
    }
  }

  /** Returns the log files of version 6 whose last bytes no completed commit names. */
  private def unnamed(logs: Seq[String]): Seq[String] =
    if (logs.isEmpty) logs
    else {
      val stats = Timeline.named(files).completed.flatMap(files.commit(_).stats)
      val known = stats.groupMapReduce(_.path)(_.fileSizeInBytes)(_ max _)
      logs.filterNot { log =>
        known.get(log).exists(length => storage.status(files.at(log)).exists(_.length <= length))
      }
    }

  private def filesBelow(folder: String): Seq[String] =
    storage.list(files.at(folder)).flatMap { e =>
      val path = if (folder.isEmpty) e.name else s"$folder/${e.name}"
      if (e.isDirectory) { if (PartitionPath.isReserved(e.name)) Nil else filesBelow(path) }
      else Seq(path).filter(instantInName(_).nonEmpty)
    }
}

object Rollback {
  private[commit] val action = "rollback"

  /** Outcome of the rollback of one write.
    * @param instant  instant of the write
    * @param rollback instant of the rollback
    * @param deleted  deleted base and log files, relative to the table */
  final case class Outcome(instant: String, rollback: String, deleted: Seq[String])

  /** Files that an instant has left.
    * @param files    those to delete, relative to the table
    * @param isShared whether it has written to a log file that must stay */
  private final case class LeftFiles(files: Seq[String], isShared: Boolean)

  /** Reason why an instant is not rolled back.
    * @param isOfOtherInstant whether another instant must be meant; otherwise the reason says what to
    *                         do */
  sealed abstract class Refusal(val reason: String, val isOfOtherInstant: Boolean = false)
  case object IsCommitted extends Refusal("It is already committed.", isOfOtherInstant = true)
  case object IsPlanned extends Refusal(
        "It is a clustering plan. Execute it with stock Hudi: CALL run_clustering(op => 'execute', " +
          "table => '...')."
      )
  case object IsAlive
      extends Refusal(
        "Its writer is alive: its heartbeat is younger than two minutes. Wait until it has ended."
      )
  case object IsListed
      extends Refusal("It has begun in the metadata table, too: let stock Hudi clean once.")
  case object IsShared
      extends Refusal(
        "A log file that it has written to has blocks of other commits, too, or is too " +
          "large to look into: stock Hudi rolls it back when it writes to the table next."
      )
  case object IsNoWrite extends Refusal("It is not a write.", isOfOtherInstant = true)
  case object IsUnknown
      extends Refusal("The table does not have this instant.", isOfOtherInstant = true)
}
