package hudilite.lock

import java.util.UUID
import java.util.concurrent.TimeUnit.NANOSECONDS
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicReference}

import scala.annotation.tailrec
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import hudilite.io.Storage
import hudilite.timeline.{Instant, Timeline, TimelineFiles}

/** Turns that the steps of a rescale and other writes of a table take. A step and a write of the
  * same bucket that run at the same time cannot both commit, so one of them would run in vain. Runs
  * on the driver.
  *
  * A rescale announces a step by a file, and waits until the pending writes have ended. A write
  * that would begin meanwhile puts a sign beside it and waits. A write looks for the file before it
  * begins, and once more when it has begun: a rescale that has announced a step in between may not
  * have seen that it is pending, so the write is aborted and waits. When the step has ended, the
  * rescale waits until all these writes have begun, and for a moment until as many are pending as in
  * the last turns: writers that have just got an answer send the next statement. So each of them runs
  * once before the next step.
  *
  * Only time depends on the files. Nobody waits without limit, and the check for conflicts at the
  * commit decides in any case.
  * @param clock milliseconds of a clock that never goes back
  * @param sleep waits for a number of milliseconds
  * Source: decision 0027. */
private[hudilite] final class RescaleTurns(
    files: TimelineFiles,
    clock: () => Long = () => RescaleTurns.millis,
    sleep: Long => Unit = Thread.sleep(_)
) {
  import RescaleTurns._

  private val storage = files.storage
  private val folder = files.at(files.layout.rescaling)
  private val step = Storage.resolve(folder, "step")

  /** Pending writes that did not end in time. */
  private val late = new AtomicReference(Set.empty[String])

  /** Number of writes that were pending or waited at the same time in the last turn, and before the
    * first one. */
  private lazy val usual = new AtomicInteger(beforeFirst)

  /** Runs a step of a rescale in its turn. */
  def inTurn[A](run: => A): A = {
    val (before, done) = Using.resource(new Announcement) { _ =>
      val known = usual.get
      (math.max(awaitPending(), known), run)
    }
    usual.set(awaitOthers(before))
    done
  }

  /** Returns how many writes were pending at the same time shortly before the announcement; 0 if only
    * one was. The files of their instants tell. */
  private def beforeFirst: Int = {
    val since = storage.status(step).fold(Long.MaxValue)(_.modifiedMillis - recentMillis)
    val spans = files.list().filter(of => ofRows(of._1.action)).groupBy(_._1.time).values.toSeq
      .filter(_.exists { case (instant, file) =>
        instant.state == Instant.Completed && file.modifiedMillis >= since
      })
      .map(_.map(_._2.modifiedMillis)).map(times => (times.min, times.max))
    val most = spans.map { case (_, end) => spans.count(of => of._1 <= end && end <= of._2) }
    most.filter(_ > 1).maxOption.getOrElse(0)
  }

  /** Whether a step is announced. */
  def isAnnounced: Boolean = storage.exists(step)

  /** Waits while a step is announced, before a write begins.
    * @return the sign that the write waits, which it removes when it has begun; None if there is no
    *         step */
  def await(): Option[Sign] = Option.when(isAnnounced) {
    val sign = new Sign(Storage.resolve(folder, s"$waits${UUID.randomUUID}"))
    try awaitStep(None, clock(), clock() + stepMillis)
    catch {
      case e @ (NonFatal(_) | _: InterruptedException) =>
        sign.close()
        throw e
    }
    sign
  }

  /** Waits until the announcement is gone. One that its rescale no longer repeats is removed.
    * @param seen  time of the announcement's last change when it was looked at before
    * @param since when that was seen first */
  @tailrec private def awaitStep(seen: Option[Long], since: Long, end: Long): Unit = {
    val changed = storage.status(step).map(_.modifiedMillis)
    val now = clock()
    if (changed == seen && now - since >= deadMillis) storage.delete(step): Unit
    else if (changed.nonEmpty && now < end) {
      sleep(lookMillis)
      awaitStep(changed, if (changed == seen) since else now, end)
    }
  }

  /** Waits until no write is pending, as a rescale does before it changes the numbers of buckets:
    * each write that is pending then must start again.
    * @return how many were pending at first */
  def awaitPending(): Int = {
    val end = clock() + pendingMillis
    @tailrec def left(now: Set[String]): Set[String] =
      if (now.isEmpty || clock() >= end) now
      else {
        sleep(lookMillis)
        left(pending)
      }
    val first = pending
    late.set(late.get ++ left(first))
    (first -- late.get).size
  }

  private def pending: Set[String] = Timeline.named(files).pending -- late.get

  /** Waits until no write has a sign, and then for a moment until as many are pending as before.
    * Signs of writes that have died are removed.
    * @param before number of writes that were pending or waited before
    * @return how many are now, or did at the same time meanwhile */
  private def awaitOthers(before: Int): Int = {
    val began = clock()
    @tailrec def again(seen: Int): Int = {
      val signs = storage.names(folder).filter(_.startsWith(waits))
      val now = if (math.max(seen, before) == 0 && signs.isEmpty) 0 else pending.size + signs.size
      val most = math.max(seen, now)
      if (clock() - began >= signMillis) {
        storage.deleteAll(signs)(Storage.resolve(folder, _)): Unit
        most
      } else if (signs.nonEmpty || clock() - began < nextMillis && now < before) {
        sleep(lookMillis)
        again(most)
      } else most
    }
    again(0)
  }

  /** Sign of a write that waits. */
  final class Sign private[RescaleTurns] (path: Path) extends AutoCloseable {
    private val isThere = new AtomicBoolean(true)
    storage.touch(path)

    override def close(): Unit = if (isThere.getAndSet(false)) storage.delete(path): Unit
  }

  /** Announcement of a step, which is repeated until it is closed. */
  private final class Announcement extends AutoCloseable {
    private val isOpen = new AtomicBoolean(true)
    storage.mkdirs(folder)
    put()
    private val repeated = Repeated.every("hudilite-rescale", repeatMillis)(() => put())

    private def put(): Unit = isOpen.synchronized {
      if (isOpen.get) storage.replace(step, Array.emptyByteArray)
    }

    override def close(): Unit = isOpen.synchronized {
      repeated.close()
      isOpen.set(false)
      storage.delete(step): Unit
    }
  }
}

private[hudilite] object RescaleTurns {

  /** Beginning of the name of a sign. */
  private val waits = "waits-"

  /** Pause between two looks. */
  private val lookMillis = 50L

  /** How often an announcement is repeated, and how long without it its rescale counts as alive. */
  private val repeatMillis = 1000L
  private val deadMillis = 5000L

  /** How long a rescale waits for pending writes, for those with a sign to begin, and for the next
    * statements of their writers. */
  private val pendingMillis = 60000L
  private val signMillis = 10000L
  private val nextMillis = 2000L

  /** How long before a rescale writes count as those of writers at work. */
  private val recentMillis = 10000L

  /** Actions of statements that change rows; a step of a rescale is none. */
  private val ofRows = Set(Instant.commit, Instant.deltaCommit)

  /** How long a write waits for a step. */
  private val stepMillis = 120000L

  private def millis: Long = NANOSECONDS.toMillis(System.nanoTime)
}
