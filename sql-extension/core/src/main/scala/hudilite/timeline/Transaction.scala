package hudilite.timeline

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.{Storage, UnknownOutcomeException}

/** One write between its inflight file and its commit. Runs on the driver; used by one thread. */
final class Transaction private[timeline] (
    log: CommitLog,
    storage: Storage,
    basePath: Path,
    table: String,
    base: CommitBase,
    val instant: String,
    action: String,
    writer: String,
    plan: Array[Byte],
    stream: Option[StreamBatch] = None
) {
  import Transaction._

  private val numbers = new CommitNumbers(storage, basePath)
  private val state = new AtomicReference[State](Open)

  /** Deletes this instant's files that failed or repeated attempts of tasks left behind.
    * @param partitions relative paths of the partitions that were written
    * @param winners    relative paths of the files that count
    * @return relative paths of the deleted files */
  def removeLosers(partitions: Iterable[String], winners: Set[String]): Seq[String] =
    own(partitions).filter(file => !winners(file)).map { file =>
      storage.delete(Storage.resolve(basePath, file))
      file
    }

  /** Commits. Creating the number is the commit point; Hudi's completed file and the removal of the
    * markers come right after it.
    * @param metadata the base files, which must be on disk with the lengths told here
    * @param touched  buckets or file groups that it wrote or looked into
    * @param read     what it rests on besides and leaves as it is: no other write rests on that
    * @param before   a write of the same table that commits with this one, and what it wrote
    * Errors: HUDILITE_CONCURRENT_WRITE when a commit since `base` touches one of either,
    * HUDILITE_STREAM_STOPPED, HUDILITE_WRITE_ROLLED_BACK,
    * HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE: all before anything is visible;
    * HUDILITE_COMMIT_STATE_UNKNOWN when the write may stand. */
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
    val number = take(record, touched ++ read, seen, log.settle(), all)
    publish(record)
    all.foreach(_.state.set(Done))
    all.foreach(_.cleanUp(number, instant))
    CommitResult(number, instant)
  }

  /** What its completed file says, once all of it is on disk. */
  private def json(metadata: CommitMetadata): String = {
    require(state.get == Open, s"INTERNAL: instant $instant is ${state.get}")
    if (!isOpen(storage, basePath, instant, action)) throw rolledBack()
    checkFiles(metadata.stats)
    val own = stream.fold(Map.empty[String, String])(_.extra) + (CommitLog.writerKey -> writer)
    metadata.copy(extra = metadata.extra ++ own).toJson
  }

  /** What tells tasks whether it may still commit. */
  def ticket: Transaction.Ticket = Transaction.Ticket(instant, action, plan)

  /** Gives up a write that has not committed: deletes its base files, inflight, requested and
    * markers, nothing else. A task that runs on sees the inflight gone (`isOpen`) and takes its file
    * back; what it closed before is found by a second look at the markers.
    * @param partitions relative paths of partitions that may hold files without a marker
    * @return false, and nothing is deleted, when the write stands, may stand, or was given up
    *         before */
  def abort(partitions: Iterable[String] = Nil): Boolean =
    state.compareAndSet(Open, Aborted) && !isAnothers && {
      def deleteFiles(): Unit =
        (Markers.dataFiles(storage, basePath, instant).filter(isOwn) ++ own(partitions)).distinct
          .foreach(file => storage.delete(Storage.resolve(basePath, file)))
      def deleteState(state: Instant.State): Unit =
        storage.delete(Instant(instant, action, state).path(basePath)): Unit
      deleteFiles()
      deleteState(Instant.Inflight)
      deleteFiles()
      Markers.deleteAll(storage, basePath, instant)
      deleteState(Instant.Requested) // last: until then a rollback finds what a crash leaves here
      true
    }

  /** Whether the instant is somebody else's by now, as a bootstrap's may be: then its files are not
    * for us to delete. */
  private def isAnothers: Boolean =
    Instant.bootstraps.contains(instant) && isOpen(storage, basePath, instant, action) &&
      !ticket.isOpen(storage, basePath)

  /** What a failed write tells its client: somebody may have rolled it back meanwhile and deleted
    * the files that it missed.
    * @param failure why it failed
    * @return HUDILITE_WRITE_ROLLED_BACK in that case, else the failure */
  def explain(failure: Throwable): Throwable =
    if (state.get == Open && !isOurs(Timeline.named(storage, basePath)))
      rolledBack(failure)
    else failure

  private def own(partitions: Iterable[String]): Seq[String] =
    partitions.toSeq.distinct.flatMap { partition =>
      storage
        .names(Storage.resolve(basePath, partition))
        .map(BaseFileName.place(partition, _))
        .filter(isOwn)
    }.distinct

  private def isOwn(file: String): Boolean =
    BaseFileName.parse(BaseFileName.last(file)).exists(_.instant == instant)

  private def checkFiles(stats: Seq[WriteStat]): Unit =
    stats.groupBy(_.partitionPath).foreach { case (partition, written) =>
      written.find(stat => !isOwn(stat.path)).foreach { stat =>
        throw new IllegalStateException(s"INTERNAL: ${stat.path} is no file of instant $instant")
      }
      val found = lengths(partition, written)
      written.foreach(stat => checkFile(stat, found.get(stat.path)))
    }

  /** A few files are asked for one by one, as a listing also shows all their older versions. */
  private def lengths(partition: String, written: Seq[WriteStat]): Map[String, Long] = {
    val found =
      if (written.size > few) storage.list(Storage.resolve(basePath, partition))
      else written.flatMap(stat => storage.status(Storage.resolve(basePath, stat.path)))
    val folder = if (partition.isEmpty) "" else s"$partition/"
    found.filter(!_.isDirectory).map(e => s"$folder${e.name}" -> e.length).toMap
  }

  private def checkFile(stat: WriteStat, length: Option[Long]): Unit = length match {
    case Some(found) if found == stat.fileSizeInBytes => ()
    case Some(found) =>
      throw HudiliteException(
        "HUDILITE_CORRUPT_DATA_FILE",
        "path" -> stat.path,
        "reason" -> s"it has $found bytes and ${stat.fileSizeInBytes} were written"
      )
    case None =>
      throw HudiliteException(
        "HUDILITE_MISSING_DATA_FILE",
        "path" -> stat.path,
        "instant" -> instant
      )
  }

  /** Takes the next free number; each round lost means that a rival got on.
    * @param checked highest number known to be free of conflicts
    * @param settled the numbers as they were brought up to date */
  @tailrec private def take(
      record: CommitRecord,
      scope: Set[FileGroupRef],
      checked: Long,
      settled: CommitLog.Settled,
      writes: Seq[Transaction]
  ): Long = {
    val rivals = sure((checked + 1 to settled.highest).map(n => n -> numbers.read(n)))
    rivals.find(_._2.writer == writer) match {
      case Some((number, _)) => number
      case None =>
        state.set(Open)
        stream.foreach(_.check(table, basePath, rivals.map(_._2)))
        rivals.foreach(rival => checkRival(rival._2, scope))
        writes.find(!_.isOurs(settled.timeline)).foreach(write => throw write.rolledBack())
        if (attempt(settled.highest + 1, record)) settled.highest + 1
        else take(record, scope, settled.highest, sure(follow(settled)), writes)
    }
  }

  /** After a lost round: one number further when that one is complete, which spares the
    * listings. */
  private def follow(settled: CommitLog.Settled): CommitLog.Settled = {
    val rival = numbers.read(settled.highest + 1)
    if (storage.status(rival.completed.path(basePath)).isEmpty) log.settle()
    else settled.copy(settled.highest + 1)
  }

  /** Tries to take a number. Until the numbers have been read again, a lost answer leaves the state
    * Unknown.
    * @return false when the number is taken, perhaps by ourselves */
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

  /** Runs a reading step; while it is open whether the number is ours, its failure is no failure
    * of the write. */
  private def sure[A](step: => A): A =
    try step
    catch { case NonFatal(e) if state.get == Unknown => throw unknown(e) }

  private def checkRival(rival: CommitRecord, scope: Set[FileGroupRef]): Unit =
    if (rival.kind == CommitRecord.Abort) {
      if (rival.instant == instant) throw rolledBack()
    } else if (!base.instants(rival.instant))
      rival
        .conflicts(scope)
        .foreach(ref => throw CommitLog.concurrent(table, ref.text, rival.instant))

  private def isOurs(timeline: Timeline): Boolean = {
    def path(state: Instant.State): Path = Instant(instant, action, state).path(basePath)
    storage.status(path(Instant.Requested)).nonEmpty && ticket.isOpen(storage, basePath) &&
    !Rollbacks.name(storage, basePath, timeline, instant)
  }

  /** Publishes Hudi's completed file; a rival may have done it already. */
  private def publish(record: CommitRecord): Unit = {
    val inflight = Instant(instant, record.action, Instant.Inflight).path(basePath)
    val completed = record.completed.path(basePath)
    def isThere(path: Path): Boolean = storage.status(path).nonEmpty
    try
      if (!isThere(completed) && isThere(inflight)) log.publish(record)
      else if (!isThere(completed)) throw rolledBack()
    catch {
      case e: HudiliteException => throw e
      case NonFatal(e) => if (!sure(isThere(completed))) throw unknown(e)
    }
  }

  /** The write stands; what is left over here does no harm. */
  private def cleanUp(number: Long, numbered: String): Unit =
    try {
      numbers.hint(number, numbered)
      Markers.deleteAll(storage, basePath, instant)
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

  /** Whether a write may still commit: its inflight file is there until it is given up. For tasks,
    * which ask once their file is closed. */
  def isOpen(storage: Storage, basePath: Path, instant: String, action: String): Boolean =
    storage.status(Instant(instant, action, Instant.Inflight).path(basePath)).nonEmpty

  /** Tells a write from another one at the same instant.
    * @param plan content of its inflight file */
  final case class Ticket private[timeline] (instant: String, action: String, plan: Array[Byte]) {

    /** Whether the write may still commit. */
    def isOpen(storage: Storage, basePath: Path): Boolean =
      Transaction.isOpen(storage, basePath, instant, action) && {
        val inflight = Instant(instant, action, Instant.Inflight).path(basePath)
        java.util.Arrays.equals(storage.read(inflight), plan)
      }
  }

  /** Files of a partition that are not worth a listing. */
  private val few = 8

  private sealed trait State
  private case object Open extends State
  private case object Unknown extends State
  private case object Done extends State
  private case object Aborted extends State
}
