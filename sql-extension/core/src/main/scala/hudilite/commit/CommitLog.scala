package hudilite.commit

import java.time.ZoneId
import java.util.UUID

import scala.annotation.tailrec

import org.apache.avro.generic.GenericRecord

import hudilite.error.HudiliteException
import hudilite.io.Storage
import hudilite.lock.StockWriters
import hudilite.timeline.{Completion, FileGroupRef, Instant, Timeline, TimelineFiles}

/** Log of the numbered commits of one table, through which writes begin. Lock-free: the creation of
  * number n+1 is the commit point, and no process creates it before the completed file of n exists.
  * Runs on the driver.
  * @param files files of the table's timeline
  * @param table name of the table in errors
  * @param zone  zone in which the table's timeline names its instants
  * @param clock milliseconds since 1970; only names instants, no decision depends on it
  * @param detach detaches Hudi's metadata table, or keeps it up to date, which every write does
  * @param stock what writes do because stock Hudi's writers may be at work; a commit and each step of
  *              another action is under their lock
  * @param isMergeOnRead type of the table as it was opened, for which writes are planned
  * Source: design D10. */
final class CommitLog(
    files: TimelineFiles,
    table: String,
    zone: ZoneId,
    clock: () => Long,
    private[hudilite] val detach: DetachMetadata,
    private[hudilite] val stock: StockWriters = StockWriters.Absent,
    isMergeOnRead: Boolean = false
) {
  private val numbers = new CommitNumbers(files)
  private val instants = new NewInstants(files, table, zone, clock, stock, isMergeOnRead)
  private val changes = new DecidedChanges(files, table, zone, isMergeOnRead)

  /** Begins a write: takes an instant above all others and creates its requested and inflight
    * files.
    * @param base   the state that the writer has read
    * @param action commit, or replacecommit if it may hide file groups
    * @param stream the batch of a stream that the write puts into the table
    * @param about  what the inflight file says about the write, for people who look at it
    * Errors: HUDILITE_CONCURRENT_WRITE if no instant is free after many tries,
    * HUDILITE_LOCK_TIMEOUT, HUDILITE_UNSAFE_STORAGE. */
  def begin(
      base: CommitBase,
      action: String = Instant.commit,
      stream: Option[StreamBatch] = None,
      about: Map[String, String] = Map.empty
  ): Transaction = {
    val writer = UUID.randomUUID.toString
    val plan = inflight(writer, about)
    val taken = instants.take(action, plan, base.last)
    new Transaction(this, files, table, base, taken, action, writer, plan, stream)
  }

  /** Begins one of the at most two writes of a bootstrap, at its fixed instant.
    * @param instant one of [[Instant.bootstraps]]
    * @param action  that of writes to the table
    * Errors: HUDILITE_CONCURRENT_WRITE if another bootstrap of the table is running,
    * HUDILITE_UNSAFE_STORAGE. */
  def beginBootstrap(
      base: CommitBase,
      instant: String,
      action: String = Instant.commit
  ): Transaction = {
    val writer = UUID.randomUUID.toString
    val plan = inflight(writer)
    val taken = instants.takeFixed(instant, action, plan)
      .getOrElse(throw CommitLog.concurrent(table, "all", instant))
    new Transaction(this, files, table, base, taken, action, writer, plan)
  }

  /** Returns the rollback of writes that began and never committed. */
  def rollback: Rollback = new Rollback(files, this, clock)

  /** Plans an action that is not a write: creates its requested file at an instant above all
    * others. If another action has the same instant, this one takes a later instant.
    * @return the instant
    * Errors: HUDILITE_UNSAFE_STORAGE. */
  def request(action: String, plan: GenericRecord): String =
    stock.locked(instants.request(action, files.codec.encode(plan)))

  /** Completes an action that is not a write: creates its completed file, unless it is completed.
    * Errors: HUDILITE_UNSAFE_STORAGE. */
  private[hudilite] def complete(time: String, action: String, outcome: GenericRecord): Unit =
    stock.locked(Completion.create(files, time, action, outcome, clock(), zone)): Unit

  /** Runs a change of the timeline that no other writer may come in between, stock Hudi's included. */
  private[hudilite] def alone[A](change: => A): A = stock.locked(change)

  /** Detaches Hudi's metadata table before an action that is not a write deletes files.
    * Errors: those of [[DetachMetadata.before]]. */
  private[hudilite] def detachBefore(): Unit = detach.before(Timeline.named(files))

  /** Detaches Hudi's metadata table before a clean or an archival, or finds out what the clean must add
    * to it. An archival adds nothing: a block counts as long as its instant is not pending.
    * Errors: those of [[DetachMetadata.before]]. */
  private[hudilite] def keepBefore(): Option[KeepFiles.Kept] =
    detach.beforeKept(Timeline.named(files))

  /** Plans a clean, as [[request]] does, after it has looked whether the metadata table can be kept.
    * Errors: those of [[request]] and [[keepBefore]].
    * @return the instant, and what the clean must add to the metadata table */
  private[hudilite] def requestClean(
      action: String,
      plan: GenericRecord
  ): (String, Option[KeepFiles.Kept]) = stock.locked {
    val kept = keepBefore()
    (request(action, plan), kept)
  }

  /** Completes a clean, after it has written what the clean has deleted into the metadata table that is
    * kept.
    * @param time    instant of the clean
    * @param deleted names of the files by partition path
    * @param kept    what was found before the files were deleted. Stock Hudi's writers may have changed
    *                the metadata table since, if there are any
    * @return whether the metadata table is kept
    * Errors: those of [[keepBefore]], HUDILITE_UNSAFE_STORAGE. */
  private[hudilite] def completeClean(
      time: String,
      action: String,
      outcome: GenericRecord,
      deleted: Map[String, Seq[String]],
      kept: Option[KeepFiles.Kept]
  ): Boolean = stock.locked {
    val now = if (stock.arePresent) keepBefore() else kept
    now.foreach(keepClean(time, deleted, _))
    complete(time, action, outcome)
    now.nonEmpty
  }

  private def keepClean(
      time: String,
      deleted: Map[String, Seq[String]],
      kept: KeepFiles.Kept
  ): Unit = {
    val last = (Timeline.named(files).lastCompletion ++ kept.last).maxOption
    Completion.next(files.layout, time, clock(), zone, last)
      .foreach(detach.publishClean(time, _, deleted, kept))
  }

  /** Returns the record with times of completion that are above all others, in a layout that has
    * them.
    * @param kept what the commit must add to Hudi's metadata table; None if that is not kept */
  private[commit] def completing(
      record: CommitRecord,
      settled: CommitLog.Settled,
      kept: Option[KeepFiles.Kept]
  ): CommitRecord = {
    val last = (settled.lastCompletion ++ kept.flatMap(_.last)).maxOption
    record
      .completing(above => Completion.next(files.layout, above.max, clock(), zone, last))
      .copy(schemaFile = kept.map(_.schemaFile))
  }

  /** Returns the content of an inflight file: the uuid of the writer, and entries about the write. */
  private def inflight(writer: String, about: Map[String, String] = Map.empty): Array[Byte] =
    files.codec.encodeInflight(about + (CommitLog.writerKey -> writer))

  /** Brings the numbers up to date before the next one is taken. The highest number gets its
    * completed file or an abort record. Completed instants without a number get one.
    * @return the highest number and the timeline that was listed with it */
  @tailrec private[hudilite] def settle(): CommitLog.Settled = {
    val listed = numbers.latest()
    changes.check(listed.hints, listed.highest, listed.start.flatMap(_.checkpoint.retyped))
    val timeline = Timeline.named(files)
    val unseen = Committed.unseen(numbers, listed, timeline)
    changes.check(unseen.map(listed.highest -> _.instant).toMap, listed.highest)
    val pending = unseen.filter(Committed.isUnpublished(_, timeline))
    val known = numbers.instants(listed)
    val strangers = timeline.byCompletion.filter(i => !known(i.time))
    pending match {
      case Some(record) if Committed.isLive(files, timeline, record) =>
        publish(record)
        detach.after(record.keepsFiles)
        settle()
      case Some(record) if !timeline.firstActive.exists(record.instant < _) =>
        checkGone(record, timeline)
        if (record.keepsFiles) detach.beforeRollback(timeline, record.instant)
        take(listed.highest + 1, CommitLog.abort(record.instant, record.action))
        settle()
      case _ if strangers.nonEmpty =>
        take(listed.highest + 1, adopted(strangers.head))
        settle()
      case _ => CommitLog.Settled(listed.highest, timeline, timeline.lastCompletion)
    }
  }

  /** Checks by name that a commit has neither the completed nor the inflight file that a listing
    * lacks: on a store with stale listings, an abort record would undo what was committed.
    * Errors: HUDILITE_UNSAFE_STORAGE. */
  private def checkGone(record: CommitRecord, listed: Timeline): Unit = {
    val inflight = Instant(record.instant, record.action, Instant.Inflight)
    val absent = if (listed.instants.contains(inflight)) Nil else Seq(inflight)
    (record.completed(files.layout) ++ absent)
      .find(files.exists)
      .foreach(file => throw Storage.stale(files.path(file)))
  }

  /** Creates the completed files of a number, after its part of Hudi's metadata table if that is kept.
    * @return false if they exist already: then another writer has created them */
  private[commit] def publish(record: CommitRecord): Boolean = {
    if (record.keepsFiles && !record.completed(files.layout).exists(files.exists))
      detach.publish(record)
    def put(completed: Instant, json: String) = {
      val bytes = files.codec.encodeCommit(json, completed.action, files.path(completed))
      files.create(completed, bytes)
    }
    for { of <- record.before; its <- of.completed(files.layout, record.action) }
      put(its, of.metadata)
    record.completed(files.layout).exists(put(_, record.metadata.getOrElse("")))
  }

  private def take(number: Long, record: CommitRecord): Unit =
    if (numbers.create(number, record)) numbers.hint(number, record.instant)

  private def adopted(instant: Instant): CommitRecord = {
    val metadata = files.commit(instant)
    val inserted =
      if (stock.arePresent) metadata.stats.filter(_.numInserts > 0).map(_.partitionPath) else Nil
    val touched = metadata.fileGroups ++ inserted.map(p => FileGroupRef.absentKeys(Some(p)))
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

  /** Key in extraMetadata: uuid of the attempt that wrote an inflight or completed file. */
  val writerKey = "hudilite.writer"

  /** Numbers that are up to date.
    * @param highest        the highest number
    * @param timeline       the timeline that was listed with it
    * @param lastCompletion highest time of completion up to this number, if the layout has any */
  private[hudilite] final case class Settled(
      highest: Long,
      timeline: Timeline,
      lastCompletion: Option[String]
  )

  private[hudilite] def concurrent(
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

  /** Returns the record after which an instant never completes. */
  private[commit] def abort(instant: String, action: String): CommitRecord =
    CommitRecord(
      CommitRecord.Abort,
      instant,
      action,
      UUID.randomUUID.toString,
      Set.empty,
      None
    )
}
