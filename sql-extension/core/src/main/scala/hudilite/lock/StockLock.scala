package hudilite.lock

import java.util.UUID
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.locks.ReentrantLock

import scala.annotation.tailrec
import scala.util.Try
import scala.util.control.NonFatal

import hudilite.error.HudiliteException
import hudilite.io.TaggedWrites
import hudilite.timeline.TimelineFiles

/** Lock of a table under which stock Hudi's writers begin and commit, by the protocol of its
  * StorageBasedLockProvider. Runs on the driver; a thread may take it again while it holds it.
  *
  * A holder that stalls for longer than the lock is valid loses it without being told, as among stock
  * Hudi's own writers: [[check]] finds out.
  * @param table  name of the table in errors
  * @param writes conditional writes of the table's storage
  * @param waiting how long to wait for the lock
  * @param clock  milliseconds since 1970
  * Source: table-versions §5.3, §5.6. */
private[hudilite] final class StockLock(
    files: TimelineFiles,
    table: String,
    writes: TaggedWrites,
    waiting: LockWait,
    clock: () => Long
) {
  import StockLock._

  private val path = files.at(LockFile.place(files.layout))
  private val threads = new ReentrantLock
  private val holding = new AtomicReference(Option.empty[Held])

  /** Runs a body while this process holds the lock.
    * Errors: HUDILITE_LOCK_TIMEOUT if others hold it for too long; HUDILITE_CORRUPT_TIMELINE for a
    * damaged lock file; those of the storage. */
  def locked[A](body: => A): A = {
    threads.lock()
    try if (holding.get.nonEmpty) body else inside(body)
    finally threads.unlock()
  }

  private def inside[A](body: => A): A = {
    holding.set(Some(acquired()))
    val renewal = Repeated.every("hudilite-lock-renewal", renewMillis)(() => renew())
    try body
    finally {
      renewal.close()
      release()
    }
  }

  /** Fails if the lock is not this process's any more.
    * @param instant instant of the write, for the message
    * Errors: HUDILITE_CONCURRENT_WRITE. */
  def check(instant: String): Unit = {
    if (holding.get.exists(_.file.validUntil - clock() < validMillis / 2)) renew()
    if (holding.get.forall(_.isLost)) throw HudiliteException(
      "HUDILITE_CONCURRENT_WRITE",
      "table" -> table,
      "bucket" -> "all, because another writer has taken the lock of this one",
      "instant" -> instant
    )
  }

  /** Waits for the lock and takes it. A request whose answer was lost may have taken it, so the file is
    * looked at after each request. */
  private def acquired(): Held = {
    val owner = UUID.randomUUID.toString
    val end = waiting.end(clock())
    @tailrec def attempt(): Held = {
      val before = seen(end)
      val held = before.filter(_.file.isHeld(clock())) match {
        case None =>
          put(LockFile(expired = false, clock() + validMillis, owner), before.map(_.tag)): Unit
          seen(end)
        case other => other
      }
      held match {
        case Some(now) if now.file.owner == owner && now.file.isHeld(clock()) => now
        case Some(now) if clock() >= end => throw timeout(now.file)
        case _ =>
          waiting.pause()
          attempt()
      }
    }
    attempt()
  }

  /** Prolongs the lock, or finds out that it is lost. */
  private def renew(): Unit = synchronized {
    holding.get.filterNot(_.isLost).foreach { mine =>
      put(mine.file.copy(validUntil = clock() + validMillis), Some(mine.tag)): Unit
      val now = look()
      holding.set(if (now.exists(_.isOf(mine))) now else Some(mine.copy(isLost = true)))
    }
  }

  /** Gives the lock back. If that fails, others wait until it is not valid any more. */
  private def release(): Unit = synchronized {
    @tailrec def attempt(left: Int): Unit = holding.get.filterNot(_.isLost) match {
      case Some(mine) if left > 0 =>
        val isDone = put(mine.file.released, Some(mine.tag))
        holding.set(if (isDone) None else again().filter(_.isOf(mine)))
        attempt(left - 1)
      case _ => holding.set(None)
    }
    attempt(releases)
  }

  private def again(): Option[Held] =
    try look()
    catch { case NonFatal(_) => None }

  /** Writes the file if it has a tag.
    * @return false if only its content can tell whether it was written */
  private def put(file: LockFile, tag: Option[String]): Boolean =
    try {
      writes.put(path, file.bytes, tag)
      true
    } catch {
      case e: HudiliteException => throw e
      case NonFatal(_) => false
    }

  /** Looks at the file; tries again while the storage fails and there is time. */
  @tailrec private def seen(end: Long): Option[Held] = {
    val found =
      try Right(look())
      catch { case NonFatal(e) if clock() < end && HudiliteException.find(e).isEmpty => Left(e) }
    found match {
      case Right(held) => held
      case Left(_) =>
        waiting.pause()
        seen(end)
    }
  }

  /** Reads the file. A store may show a part of a file that another writer replaces at that moment: a file
    * that does not parse is read again. */
  @tailrec private def look(left: Int = readings): Option[Held] = {
    val found = writes.find(path).map { case (bytes, tag) =>
      Try(Held(LockFile.parse(bytes, path), tag))
    }
    if (left > 1 && found.exists(_.isFailure)) {
      waiting.pause()
      look(left - 1)
    } else found.map(_.get)
  }

  private def timeout(held: LockFile): HudiliteException = waiting.timeout(
    table,
    s"writer ${held.owner} holds its lock until " +
      s"${java.time.Instant.ofEpochMilli(held.validUntil)} if it does not renew it ($path)"
  )
}

private[hudilite] object StockLock {

  /** Lock as it was last seen in the hands of this process, or of another.
    * @param isLost whether another writer has taken it since */
  private final case class Held(file: LockFile, tag: String, isLost: Boolean = false) {

    /** Whether the same writer still holds it. */
    def isOf(other: Held): Boolean = file.owner == other.file.owner && !file.expired
  }

  /** How long a lock is valid, and after what time it is renewed, as in stock Hudi. */
  private val validMillis = 300000L
  private val renewMillis = 30000L
  private val releases = 3

  /** How often a file that does not parse is read. */
  private val readings = 4
}
