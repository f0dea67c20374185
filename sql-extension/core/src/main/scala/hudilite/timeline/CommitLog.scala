package hudilite.timeline

import java.time.ZoneId
import java.util.UUID

import scala.annotation.tailrec
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.io.Storage

/** Writes of one table, in the order of their numbers. Lock-free: creating number n+1 is the commit
  * point, and nobody creates it before the completed file of n is there. Runs on the driver.
  * @param table named in errors
  * @param zone  in which the table's timeline names its instants
  * @param clock milliseconds since 1970; only names instants, no decision rests on it
  * Source: design D10. */
final class CommitLog(
    storage: Storage,
    basePath: Path,
    table: String,
    zone: ZoneId,
    clock: () => Long
) {
  private val numbers = new CommitNumbers(storage, basePath)

  /** Starts a write: takes an instant above all others and creates its requested and inflight
    * files.
    * @param base   what the writer has read
    * @param action commit, or replacecommit when it may hide file groups
    * @param stream the batch of a stream that it puts into the table
    * Errors: HUDILITE_CONCURRENT_WRITE when no instant is free after many tries,
    * HUDILITE_UNSAFE_STORAGE. */
  def begin(
      base: CommitBase,
      action: String = Instant.commit,
      stream: Option[StreamBatch] = None
  ): Transaction = {
    val writer = UUID.randomUUID.toString
    val plan = CommitMetadata.bytes(CommitLog.inflight(writer))
    val time = allocate(action, plan, None, CommitLog.maxTries)
    new Transaction(this, storage, basePath, table, base, time, action, writer, plan, stream)
  }

  /** Starts a bootstrap's write, or one of its two, at the instant that is always its own.
    * @param instant one of [[Instant.bootstraps]]
    * Errors: HUDILITE_CONCURRENT_WRITE when another bootstrap of the table is under way,
    * HUDILITE_UNSAFE_STORAGE. */
  def beginBootstrap(base: CommitBase, instant: String): Transaction = {
    val writer = UUID.randomUUID.toString
    val plan = CommitMetadata.bytes(CommitLog.inflight(writer))
    if (!reserve(instant, Instant.commit, plan)) throw CommitLog.concurrent(table, "", instant)
    new Transaction(this, storage, basePath, table, base, instant, Instant.commit, writer, plan)
  }

  /** Takes back what was begun and never committed. */
  def rollback: Rollback = new Rollback(storage, basePath, this, clock)

  /** Plans what is no write: creates the requested file of an action at an instant above all others;
    * one that another action has as well gives way.
    * @return the instant
    * Errors: HUDILITE_UNSAFE_STORAGE. */
  def request(action: String, plan: Array[Byte]): String = request(action, plan, None)

  @tailrec private def request(action: String, plan: Array[Byte], above: Option[String]): String = {
    val requested = Instant(free(above), action, Instant.Requested)
    val mine = storage.createNew(requested.path(basePath), plan)
    val alone = Timeline
      .named(storage, basePath)
      .instants
      .filter(_.time == requested.time) == Vector(requested)
    if (mine && alone) requested.time
    else {
      if (mine) storage.delete(requested.path(basePath)): Unit
      request(action, plan, Some(requested.time))
    }
  }

  /** An instant above all others. */
  private def free(above: Option[String]): String = {
    val known = Timeline.named(storage, basePath).last ++ numbers.list().hints.values ++ above
    InstantTime.next(clock(), zone, known.maxOption)
  }

  @tailrec private def allocate(
      action: String,
      plan: Array[Byte],
      above: Option[String],
      triesLeft: Int
  ): String = {
    val time = free(above)
    if (triesLeft == 0) throw CommitLog.concurrent(table, "", time)
    else if (reserve(time, action, plan)) time
    else allocate(action, plan, Some(time), triesLeft - 1)
  }

  /** @return false when the instant is taken */
  private def reserve(time: String, action: String, plan: Array[Byte]): Boolean = {
    val requested = Instant(time, action, Instant.Requested).path(basePath)
    val inflight = Instant(time, action, Instant.Inflight).path(basePath)
    val planned =
      if (action == Instant.replaceCommit) RequestedReplace.bytes else Array.emptyByteArray
    create(requested, planned, Seq(requested)) && {
      val free = isAlone(time, action) && create(inflight, plan, Seq(inflight, requested))
      if (!free) storage.delete(requested)
      free
    }
  }

  /** Writes of unlike actions have files of unlike names: each looks for the other's after it has
    * made its own, so that of two at least one gives way. */
  private def isAlone(time: String, action: String): Boolean =
    (Instant.writes ++ CommitLog.services - action)
      .forall(a => storage.status(Instant(time, a, Instant.Requested).path(basePath)).isEmpty)

  /** Creates a file of an instant that has none yet; a failure takes back what is there. */
  private def create(path: Path, bytes: Array[Byte], undo: Seq[Path]): Boolean =
    try storage.createNew(path, bytes)
    catch {
      case NonFatal(e) =>
        undo.foreach(p => Try(storage.delete(p)).failed.foreach(e.addSuppressed))
        throw e
    }

  /** Brings the numbers up to date before the next one is taken: the highest gets its completed
    * file or an abort record, completed instants without a number get one.
    * @return the highest number and the timeline that was seen with it */
  @tailrec private[hudilite] def settle(): CommitLog.Settled = {
    val listed = numbers.list()
    val timeline = Timeline.named(storage, basePath)
    val pending = Committed.highest(numbers, listed, timeline)
    val known = numbers.instants(listed)
    val strangers = timeline.completed.filter(i => !known(i.time))
    pending match {
      case Some(record) if Committed.isLive(storage, basePath, timeline, record) =>
        publish(record)
        settle()
      case Some(record) if !timeline.firstActive.exists(record.instant < _) =>
        take(listed.highest + 1, CommitLog.abort(record.instant, record.action))
        settle()
      case _ if strangers.nonEmpty =>
        take(listed.highest + 1, adopted(strangers.head))
        settle()
      case _ => CommitLog.Settled(listed.highest, timeline)
    }
  }

  /** Creates the completed files of a number.
    * @return false when they are there already: then another writer did the same */
  private[timeline] def publish(record: CommitRecord): Boolean = {
    def put(completed: Instant, json: String) =
      storage.createNew(completed.path(basePath), CommitMetadata.bytes(json))
    record.before.foreach(of => put(of.completed, of.metadata))
    put(record.completed, record.metadata.getOrElse(""))
  }

  private def take(number: Long, record: CommitRecord): Unit =
    if (numbers.create(number, record)) numbers.hint(number, record.instant)

  private def adopted(instant: Instant): CommitRecord = {
    val path = instant.path(basePath)
    val touched = CommitMetadata.parse(storage.read(path), path).fileGroups
    CommitRecord(
      CommitRecord.Adopted,
      instant.time,
      instant.action,
      UUID.randomUUID.toString,
      touched,
      None
    )
  }
}

object CommitLog {

  /** Key in extraMetadata of the uuid of the attempt that wrote an inflight or completed file. */
  val writerKey = "hudilite.writer"

  private val maxTries = 1000

  /** Actions that take an instant by [[CommitLog.request]]. */
  private val services = Set(Rollback.action, Cleans.action, "restore")

  private[hudilite] final case class Settled(highest: Long, timeline: Timeline)

  private[timeline] def concurrent(
      table: String,
      bucket: String,
      instant: String
  ): HudiliteException =
    HudiliteException(
      "HUDILITE_CONCURRENT_WRITE",
      "table" -> table,
      "bucket" -> bucket,
      "instant" -> instant
    )

  /** The record by which an instant never completes. */
  private[timeline] def abort(instant: String, action: String): CommitRecord =
    CommitRecord(
      CommitRecord.Abort,
      instant,
      action,
      UUID.randomUUID.toString,
      Set.empty,
      None
    )

  /** Content of an inflight file: no file is planned, and the writer's mark. */
  private def inflight(writer: String): String = {
    val root = Json.newObject()
    root.putObject("partitionToWriteStats")
    root.putObject("extraMetadata").put(writerKey, writer)
    Json.pretty(root)
  }
}
