package hudilite.commit

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec
import scala.util.control.NonFatal

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.{Requests, UnknownOutcomeException}
import hudilite.timeline.{
  CommitMetadata,
  FileGroupRef,
  Instant,
  Markers,
  PendingPlans,
  Rollbacks,
  Timeline,
  TimelineFiles,
  WriteStat
}

/** One write, from its inflight file to its commit. Runs on the driver, in one thread. */
final class Transaction private[commit] (
    log: CommitLog,
    files: TimelineFiles,
    table: String,
    base: CommitBase,
    taken: NewInstants.Taken,
    action: String,
    writer: String,
    plan: Array[Byte],
    stream: Option[StreamBatch] = None
) {
  import Transaction._

  /** Instant of the write. */
  val instant: String = taken.time

  private val storage = files.storage
  private val numbers = new CommitNumbers(files)
  private val logs = new OwnLogs(files, instant)
  private val state = new AtomicReference[State](Open)

  /** Lengths of own files by their relative paths, as [[removeLosers]] listed them. */
  private val listed = new AtomicReference(Map.empty[String, Long])

  /** Deletes files of this instant that failed or repeated task attempts left.
    * @param partitions relative paths of the partitions that were written
    * @param winners    relative paths of the files that count
    * @return relative paths of the deleted files */
  def removeLosers(partitions: Iterable[String], winners: Set[String]): Seq[String] = {
    val found = own(partitions)
    listed.set(found)
    val losers = found.keys.filter(file => !winners(file)).toSeq ++ markedLogs(winners)
    storage.deleteAll(losers)(files.at): Unit
    losers
  }

  /** Commits. The creation of the number is the commit point; after it, Hudi's completed file is
    * created and the markers are deleted.
    * @param metadata the base files, which must be on disk with the lengths given here
    * @param touched  buckets or file groups that the write has written, or in which it has looked
    *                 up keys
    * @param read     what else the write depends on and does not change; it is not recorded, so no
    *                 later write conflicts with it
    * @param before   another write of the same table that commits with this one, and its metadata
    * Errors: HUDILITE_CONCURRENT_WRITE if a commit since `base` touches one of `touched` or `read`,
    * HUDILITE_STREAM_STOPPED, HUDILITE_WRITE_ROLLED_BACK, HUDILITE_MISSING_DATA_FILE,
    * HUDILITE_CORRUPT_DATA_FILE: all before anything is visible; HUDILITE_COMMIT_STATE_UNKNOWN if
    * the write may be committed. */
  def commit(
      metadata: CommitMetadata,
      touched: Set[FileGroupRef],
      read: Set[FileGroupRef] = Set.empty,
      before: Option[(Transaction, CommitMetadata)] = None
  ): CommitResult = {
    require(
      metadata.replacedFileIds.isEmpty || action == Instant.replaceCommit,
      "INTERNAL: a commit replaces no file group"
    )
    val first = before.map { case (write, its) =>
      CommitRecord.Before(write.instant, write.json(its))
    }
    val record =
      CommitRecord(CommitRecord.Commit, instant, action, writer, touched, Some(json(metadata)),
        first)
    val all = this +: before.map(_._1).toSeq
    val seen = stream.foldLeft(base.number)((number, batch) => number.min(batch.after))
    val (number, keepsFiles) = log.stock.locked {
      val (number, numbered) = take(record, touched ++ read, seen, log.settle(), all)
      publish(numbered)
      (number, numbered.keepsFiles)
    }
    all.foreach(_.state.set(Done))
    try log.detach.after(keepsFiles)
    catch { case NonFatal(e) => throw unknown(e) }
    all.foreach(_.cleanUp(number, instant))
    CommitResult(number, instant)
  }

  /** Returns the JSON of the commit's metadata, after a check that all base files are on disk. */
  private def json(metadata: CommitMetadata): String = {
    require(state.get == Open, s"INTERNAL: instant $instant is ${state.get}")
    checkFiles(metadata.stats)
    val own = stream.fold(Map.empty[String, String])(_.extra) + (CommitLog.writerKey -> writer)
    metadata.copy(extra = metadata.extra ++ own).toJson
  }

  /** Returns the ticket with which tasks check whether the write may still commit. */
  def ticket: Transaction.Ticket = Transaction.Ticket(instant, action, plan)

  /** Aborts a write that has not committed: deletes its base files, inflight, requested and
    * markers, and nothing else. A task that is still running finds that the inflight file is gone
    * (`isOpen`) and deletes its own file. A second search of the markers finds a file that a task
    * closed before that.
    * @param partitions relative paths of partitions that may contain files without a marker
    * @return false, and nothing is deleted, if the write is or may be committed, or was aborted
    *         before */
  def abort(partitions: Iterable[String] = Nil): Boolean = {
    taken.beat.stop()
    state.compareAndSet(Open, Aborted) && !isAnothers && {
      def deleteFiles(): Unit = {
        val mine = Markers.dataFiles(files, instant).filter(isOwn) ++ markedLogs(Set.empty) ++
          own(partitions).keys
        storage.deleteAll(mine.distinct)(files.at): Unit
      }
      def deleteState(state: Instant.State): Unit =
        files.delete(Instant(instant, action, state)): Unit
      deleteFiles()
      deleteState(Instant.Inflight)
      deleteFiles()
      Markers.deleteAll(files, instant)
      deleteState(Instant.Requested) // last: until then, a rollback finds what a crash leaves here
      taken.beat.end()
      true
    }
  }

  /** Whether the instant meanwhile belongs to another write, which is possible for the fixed
    * instants of a bootstrap: then this write must not delete its files. The other write may be of a
    * table of the other type, and so of another action. */
  private def isAnothers: Boolean =
    Instant.bootstraps.contains(instant) && !ticket.isOpen(files) &&
      Seq(Instant.commit, Instant.deltaCommit).exists(isOpen(files, instant, _))

  /** Returns the error to report for a failed write. Another process may have rolled the write back
    * and deleted files, and the write failed because they were missing.
    * @param failure the original error
    * @return HUDILITE_WRITE_ROLLED_BACK in that case, otherwise `failure` */
  def explain(failure: Throwable): Throwable =
    if (state.get == Open && !isOurs(Timeline.named(files)))
      rolledBack(failure)
    else failure

  /** Returns the files of this instant in some partitions, with their lengths. */
  private def own(partitions: Iterable[String]): Map[String, Long] =
    Requests.of(partitions.toSeq.distinct) { partition =>
      storage
        .list(files.at(partition), isOwn)
        .map(entry => BaseFileName.place(partition, entry.name) -> entry.length)
        .filter { case (file, _) => isOwn(file) }
    }.flatten.toMap

  /** Whether the name of a file shows that it is one of this instant. */
  private def isOwn(file: String): Boolean =
    BaseFileName.parse(BaseFileName.last(file)).exists(_.instant == instant) || logs.isNamed(file)

  private def markedLogs(known: Set[String]): Seq[String] =
    if (action == Instant.deltaCommit) logs.marked(known) else Nil

  /** Whether a file may be one of this instant, as far as its name shows. */
  private def mayBeOwn(stat: WriteStat): Boolean =
    isOwn(stat.path) || stat.log.nonEmpty && !files.layout.namesCompletion

  private def checkFiles(stats: Seq[WriteStat]): Unit =
    stats.groupBy(_.partitionPath).foreach { case (partition, written) =>
      written.find(!mayBeOwn(_)).foreach { stat =>
        throw new IllegalStateException(s"INTERNAL: ${stat.path} is no file of instant $instant")
      }
      val found = lengths(partition, written)
      written.foreach(stat => checkFile(stat, found.get(stat.path)))
    }

  /** Returns the lengths of files in a partition, as they were listed before. A few others are
    * looked up one by one, because a listing also contains all their older versions. */
  private def lengths(partition: String, written: Seq[WriteStat]): Map[String, Long] = {
    val known = listed.get
    val unknown = written.filter(stat => !known.contains(stat.path))
    val wanted = unknown.map(_.fileName).toSet
    val found =
      if (unknown.size > few) storage.list(files.at(partition), wanted)
      else unknown.flatMap(stat => storage.status(files.at(stat.path)))
    known ++ found
      .filter(e => !e.isDirectory && wanted(e.name))
      .map(e => BaseFileName.place(partition, e.name) -> e.length)
  }

  private def checkFile(stat: WriteStat, length: Option[Long]): Unit =
    if (!length.contains(stat.fileSizeInBytes)) {
      val fault = damaged(stat, length)
      throw if (isOpen(files, instant, action)) fault else rolledBack(fault)
    }

  private def damaged(stat: WriteStat, length: Option[Long]): HudiliteException = length.fold(
    HudiliteException("HUDILITE_MISSING_DATA_FILE", "path" -> at(stat), "instant" -> instant)
  ) { found =>
    HudiliteException(
      "HUDILITE_CORRUPT_DATA_FILE",
      "path" -> at(stat),
      "reason" -> (s"it has $found bytes and ${stat.fileSizeInBytes} were written, so nothing was " +
        "committed")
    )
  }

  private def at(stat: WriteStat): String = files.at(stat.path).toString

  /** Takes the next free number. If a try fails, another writer has made progress.
    * @param checked highest number that was already checked for conflicts
    * @param settled the numbers after they were brought up to date
    * @return the number, and the record in it */
  @tailrec private def take(
      record: CommitRecord,
      scope: Set[FileGroupRef],
      checked: Long,
      settled: CommitLog.Settled,
      writes: Seq[Transaction]
  ): (Long, CommitRecord) = {
    val rivals = sure((checked + 1 to settled.highest).map(n => n -> numbers.read(n)))
    rivals.find(_._2.writer == writer) match {
      case Some(own) => own
      case None =>
        state.set(Open)
        stream.foreach(_.check(table, files, rivals.map(_._2)))
        rivals.foreach { case (n, rival) => checkRival(n, rival, scope) }
        writes.find(!_.isOurs(settled.timeline)).foreach(write => throw write.rolledBack())
        checkNothingPlanned(settled.timeline)
        val toKeep = kept(record, rivals.map(_._2), settled)
        log.stock.check(instant)
        val numbered = log.completing(record, settled, toKeep)
        if (attempt(settled.highest + 1, numbered)) (settled.highest + 1, numbered)
        else take(record, scope, settled.highest, sure(follow(settled)), writes)
    }
  }

  /** Fails if stock Hudi has planned a compaction or clustering since the write began: the plan moves rows
    * of files that the write replaces. Stock Hudi plans under its lock, so none is planned before the
    * number is taken.
    * Errors: HUDILITE_CONCURRENT_WRITE. */
  private def checkNothingPlanned(timeline: Timeline): Unit =
    if (log.stock.arePresent) PendingPlans.first(files, timeline).foreach { case (plan, service) =>
      throw CommitLog.concurrent(table, s"all, because a $service was planned", plan.time)
    }

  /** Detaches Hudi's metadata table, or finds out what the commit must add to it. */
  private def kept(
      record: CommitRecord,
      rivals: Seq[CommitRecord],
      settled: CommitLog.Settled
  ): Option[KeepFiles.Kept] = {
    val own = record.instants.toSet
    val isRequired = othersCommitted(rivals, settled.timeline)
    def isLate = numbers.exists(settled.highest + 1)
    if (record.before.isEmpty)
      log.detach.beforeKept(settled.timeline, own, isRequired, isLate)
    else {
      log.detach.before(settled.timeline, own, isRequired)
      None
    }
  }

  /** Brings the numbers up to date after a failed try. If the completed file of the other writer's
    * number exists, no listing is necessary. */
  private def follow(settled: CommitLog.Settled): CommitLog.Settled = {
    val rival = numbers.read(settled.highest + 1)
    if (Instant.isChange(rival.instant)) state.set(Open) // the number is not this write's
    val isPublished = rival.completed(files.layout).exists(files.exists)
    if (isPublished)
      settled.copy(
        highest = settled.highest + 1,
        lastCompletion = (settled.lastCompletion ++ rival.lastCompletion).maxOption
      )
    else log.settle()
  }

  /** Whether a program that takes no numbers has committed since the snapshot, or has moved the
    * timeline. */
  private def othersCommitted(rivals: Seq[CommitRecord], timeline: Timeline): Boolean =
    rivals.exists(_.kind == CommitRecord.Adopted) ||
      base.instants.nonEmpty && timeline.completed.isEmpty

  /** Tries to take a number. The state is Unknown until the numbers have been read again, because
    * the answer may be lost.
    * @return false if the number is taken, perhaps by this write itself */
  private def attempt(number: Long, record: CommitRecord): Boolean = {
    state.set(Unknown)
    try numbers.create(number, record)
    catch { case NonFatal(e) => stopUnlessTaken(number, e) }
  }

  private def stopUnlessTaken(number: Long, e: Throwable): Boolean = {
    val taken = sure(numbers.exists(number))
    e match {
      case _ if taken => false
      case unsure: UnknownOutcomeException => throw unknown(unsure)
      case failed =>
        state.set(Open)
        throw failed
    }
  }

  /** Runs a step that only reads. While it is unknown whether the number is this write's, an error
    * of the step does not mean that the write failed. */
  private def sure[A](step: => A): A =
    try step
    catch { case NonFatal(e) if state.get == Unknown => throw unknown(e) }

  private def checkRival(number: Long, rival: CommitRecord, scope: Set[FileGroupRef]): Unit =
    if (rival.kind == CommitRecord.Abort) {
      if (rival.instant == instant) throw rolledBack()
    } else if (!isSeen(number, rival))
      rival
        .conflicts(scope)
        .foreach(ref => throw CommitLog.concurrent(table, ref.text, rival.instant))

  /** Whether the write is based on a state that contains a number's commit or change. */
  private def isSeen(number: Long, rival: CommitRecord): Boolean =
    number <= base.number || base.instants(rival.instant)

  /** Whether the write is still pending. Its inflight file is looked up by name. */
  private def isOurs(timeline: Timeline): Boolean =
    timeline.isRequested(instant, action) && ticket.isOpen(files) &&
      !Rollbacks.name(files, timeline, instant)

  /** Publishes Hudi's completed file; another writer may have done it already. The number is taken, so
    * a call that fails is tried once more before the state of the commit counts as unknown. */
  private def publish(record: CommitRecord): Unit = {
    val inflight = Instant(instant, record.action, Instant.Inflight)
    def isCompleted = record.completed(files.layout).exists(files.exists)
    def once(orElse: Throwable => Unit): Unit =
      try
        if (files.exists(inflight)) log.publish(record)
        else if (!isCompleted) throw rolledBack()
      catch {
        case e: HudiliteException if e.condition != SharedMetadata.condition => throw e
        case NonFatal(e) => if (!sure(isCompleted)) orElse(e)
      }
    once(_ => once(e => throw unknown(e)))
  }

  /** Cleans up after the commit. Ignores errors, because what is left does no harm. */
  private def cleanUp(number: Long, numbered: String): Unit =
    try {
      taken.beat.end()
      numbers.hint(number, numbered)
      Markers.deleteAll(files, instant)
    } catch { case NonFatal(_) => () }

  private def rolledBack(cause: Throwable = HudiliteException.noCause): HudiliteException =
    new HudiliteException(
      "HUDILITE_WRITE_ROLLED_BACK",
      Map("table" -> table, "instant" -> instant),
      cause
    )

  private def unknown(cause: Throwable): HudiliteException =
    new HudiliteException(
      "HUDILITE_COMMIT_STATE_UNKNOWN",
      Map("table" -> table, "instant" -> instant),
      cause
    )
}

object Transaction {

  /** Whether a write may still commit: its inflight file exists until the write is aborted. Tasks
    * call this after they have closed their file. */
  def isOpen(files: TimelineFiles, instant: String, action: String): Boolean =
    files.exists(Instant(instant, action, Instant.Inflight))

  /** Identity of a write, which distinguishes it from another write at the same instant.
    * @param plan content of its inflight file */
  final case class Ticket private[commit] (instant: String, action: String, plan: Array[Byte]) {

    /** Whether the write may still commit. */
    def isOpen(files: TimelineFiles): Boolean =
      files
        .readIfPresent(Instant(instant, action, Instant.Inflight))
        .exists(java.util.Arrays.equals(_, plan))
  }

  /** Number of files in a partition up to which they are looked up one by one. */
  private val few = 8

  private sealed trait State
  private case object Open extends State
  private case object Unknown extends State
  private case object Done extends State
  private case object Aborted extends State
}
