package hudilite.commit

import java.time.ZoneId
import java.util.Arrays

import scala.annotation.tailrec
import scala.util.Try
import scala.util.control.NonFatal

import hudilite.lock.{Heartbeat, StockWriters}
import hudilite.timeline.{Instant, InstantTime, RequestedReplace, Timeline, TimelineFiles}

/** Instants of new actions of one table. Runs on the driver.
  * @param table name of the table in errors
  * @param zone  zone in which the table's timeline names its instants
  * @param clock milliseconds since 1970
  * @param stock what a write does because stock Hudi's writers may be at work */
private[commit] final class NewInstants(
    files: TimelineFiles,
    table: String,
    zone: ZoneId,
    clock: () => Long,
    stock: StockWriters,
    mayHaveLogs: Boolean
) {
  import NewInstants._

  private val numbers = new CommitNumbers(files)

  /** Plans an action that is not a write: creates its requested file at an instant above all others.
    * @return the instant */
  def request(action: String, plan: Array[Byte]): String = request(action, plan, None)

  @tailrec private def request(action: String, plan: Array[Byte], above: Option[String]): String = {
    val requested = Instant(free(above), action, Instant.Requested)
    val mine = files.create(requested, plan)
    if (mine && isAlone(Timeline.named(files), requested)) requested.time
    else {
      if (mine) files.delete(requested): Unit
      request(action, plan, Some(requested.time))
    }
  }

  /** Takes an instant for a write: creates its requested and its inflight file.
    * @param known highest instant that the snapshot knows; None if it did not look
    * Errors: HUDILITE_CONCURRENT_WRITE if no instant is free after many tries; HUDILITE_LOCK_TIMEOUT. */
  def take(action: String, plan: Array[Byte], known: Option[String]): Taken =
    if (stock.arePresent) takeAmongStock(action, plan) else takeLatest(action, plan, known)

  /** Takes one of the fixed instants of a bootstrap; None if it is taken. */
  def takeFixed(time: String, action: String, plan: Array[Byte]): Option[Taken] =
    reserve(time, action, plan)(isAlone)

  /** Takes an instant. The first try looks at nothing: the reservation finds out whether an instant
    * that is above those of the snapshot is above all others. */
  private def takeLatest(action: String, plan: Array[Byte], known: Option[String]): Taken = {
    @tailrec def attempt(time: String, triesLeft: Int): Taken =
      if (triesLeft == 0) throw CommitLog.concurrent(table, "all", time)
      else
        reserve(time, action, plan)(isFree) match {
          case Some(taken) => taken
          case None => attempt(free(Some(time)), triesLeft - 1)
        }
    attempt(if (known.isEmpty) free(None) else next(known), maxTries)
  }

  /** Takes an instant under the lock under which stock Hudi takes its own. Waits if none can be taken
    * beside a write of stock Hudi that is starting. */
  private def takeAmongStock(action: String, plan: Array[Byte]): Taken = {
    val end = stock.waiting.end(clock())
    def attempt(): Either[String, Taken] = stock.locked {
      among(plan).flatMap { case (time, starting) =>
        reserve(time, action, plan)(isFree).toRight(starting.getOrElse(time))
      }
    }
    @tailrec def again(): Taken = attempt() match {
      case Right(taken) => taken
      case Left(other) if clock() >= end =>
        throw stock.waiting.timeout(table, s"write $other of stock Hudi has not read the table yet")
      case Left(_) =>
        stock.waiting.pause()
        again()
    }
    again()
  }

  /** Returns an instant above all others, but below each write of stock Hudi that is starting. Such a
    * write may read the table only after this one has committed. If its instant were below this one's,
    * its files would be older than those of this one, which they replace, and no check would find that.
    * @return the instant, and the first write that is starting if there is one; or that write alone, if no
    *         instant is between it and those that are done */
  private def among(plan: Array[Byte]): Either[String, (String, Option[String])] = {
    val timeline = Timeline.named(files)
    val hints = numbers.latest().hints.values.toVector
    StockWriters.starting(timeline).filter(stock.isAlive).minOption match {
      case None => Right(next((timeline.lastTime ++ hints).maxOption) -> None)
      case Some(first) =>
        val done = timeline.instants.filter(i => i.time < first || i.state == Instant.Completed)
        between((done.map(_.time) ++ hints).maxOption, first, plan).map(_ -> Some(first)).toRight(
          first
        )
    }
  }

  /** Returns an instant between two others. Another attempt of a write gets another one, because a task
    * of the first attempt may still be at work.
    * @param plan content of the inflight file, which no other attempt has */
  private def between(last: Option[String], first: String, plan: Array[Byte]): Option[String] =
    for {
      low <- last
      from <- InstantTime.moments(low, zone).lastOption
      until <- InstantTime.moments(first, zone).headOption
      room = until - from - 1
      if room > 0
      time = InstantTime.at(from + 1 + Math.floorMod(Arrays.hashCode(plan).toLong, room), zone)
      if low < time && time < first
    } yield time

  /** Returns an instant above all others. */
  private def free(above: Option[String]): String = {
    val known = Timeline.named(files).lastTime ++ numbers.latest().hints.values ++ above
    next(known.maxOption)
  }

  private def next(above: Option[String]): String = InstantTime.next(clock(), zone, above)

  /** Creates the requested and the inflight file of an instant.
    * @param isFree whether the instant is free, by a timeline that was listed after the requested
    *               file was created
    * @return None if the instant is taken */
  private def reserve(time: String, action: String, plan: Array[Byte])(
      isFree: (Timeline, Instant) => Boolean
  ): Option[Taken] = {
    val beat = stock.beat(time)
    val isMine =
      try created(time, action, plan)(isFree)
      catch {
        case NonFatal(e) =>
          beat.end()
          throw e
      }
    if (!isMine) beat.end()
    Option.when(isMine)(Taken(time, beat))
  }

  private def created(time: String, action: String, plan: Array[Byte])(
      isFree: (Timeline, Instant) => Boolean
  ): Boolean = {
    val requested = Instant(time, action, Instant.Requested)
    val inflight = Instant(time, action, Instant.Inflight)
    val planned =
      if (action == Instant.replaceCommit) files.codec.encode(RequestedReplace.record)
      else Array.emptyByteArray
    create(requested, planned, Seq(requested)) && {
      val mine =
        isFree(Timeline.named(files), requested) &&
          create(inflight, plan, Seq(inflight, requested))
      if (!mine) files.delete(requested)
      mine
    }
  }

  private def isFree(timeline: Timeline, requested: Instant): Boolean =
    isAlone(timeline, requested) && !timeline.isCompletedAfter(requested.time) &&
      !(mayHaveLogs && timeline.lastCompletion.exists(_ >= requested.time))

  /** Whether no other action has the instant. Files of different actions have different names, so
    * both can be created. Each writer looks for the other's file after it has created its own, so
    * that of two writers at least one gives up the instant. */
  private def isAlone(timeline: Timeline, requested: Instant): Boolean =
    timeline.instants.filter(_.time == requested.time) == Vector(requested)

  /** Creates a file of a new instant; on an error, deletes the files in `undo`. */
  private def create(instant: Instant, bytes: Array[Byte], undo: Seq[Instant]): Boolean =
    try files.create(instant, bytes)
    catch {
      case NonFatal(e) =>
        undo.foreach(i => Try(files.delete(i)).failed.foreach(e.addSuppressed))
        throw e
    }
}

private[commit] object NewInstants {
  private val maxTries = 1000

  /** Instant that a write has taken, with its heartbeat. */
  final case class Taken(time: String, beat: Heartbeat)
}
