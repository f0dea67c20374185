package hudilite.io

import java.nio.file.AccessDeniedException
import java.util.UUID
import java.util.concurrent.ThreadLocalRandom

import scala.annotation.tailrec
import scala.concurrent.duration.{Deadline, DurationLong, FiniteDuration}
import scala.util.control.NonFatal

import org.apache.hadoop.fs.{Path, PathIOException}
import org.apache.hadoop.security.AccessControlException

import hudilite.error.HudiliteException

/** Creation of an object in a store only if its name is free. After anything but a clean success it
  * looks whose the object is, and never trusts the exception: the answer of a request that took
  * effect may be lost. While there is no object, it puts it again: a request that arrives late
  * then finds the name taken.
  * @param exclusive how the store creates an object only if its name is free
  * @param limit     time after which the outcome is unknown, if the store cannot be reached */
private[io] final class Creation(exclusive: ExclusiveCreate, limit: FiniteDuration) {

  /** Time to wait for one call: a call that hangs leaves time to look and to put again. */
  private val patience = limit / Creation.parts

  /** Time at the end that is left for a look. */
  private val reserve = limit / Creation.looks

  /** Creates an object.
    * @return false if the name is taken
    * Errors: UnknownOutcomeException. */
  def apply(path: Path, bytes: Array[Byte]): Boolean =
    attempt(path, bytes, UUID.randomUUID.toString, limit.fromNow, 1)

  @tailrec private def attempt(
      path: Path,
      bytes: Array[Byte],
      token: String,
      end: Deadline,
      number: Int
  ): Boolean =
    failure(end - reserve)(exclusive.put(path, bytes, token)) match {
      case None => true
      case Some(e) =>
        val pause = Creation.pause(number)
        owner(end)(exclusive.owner(path, bytes, token)) match {
          case Some(ExclusiveCreate.Mine) => true
          case Some(ExclusiveCreate.Another) => false
          case _ if end.timeLeft <= pause + reserve || Creation.isFinal(e) =>
            throw new UnknownOutcomeException(path, e)
          case _ =>
            StoreCall.patiently(limit)(Thread.sleep(pause.toMillis))
            attempt(path, bytes, token, end, number + 1)
        }
    }

  private def failure(end: Deadline)(put: => Unit): Option[Throwable] =
    try {
      StoreCall.until(patience.min(end.timeLeft).fromNow)(put)
      None
    } catch {
      case e: HudiliteException => throw e
      case NonFatal(e) => Some(e)
    }

  /** Returns None if the store could not be asked. */
  private def owner(end: Deadline)(
      look: => ExclusiveCreate.Owner
  ): Option[ExclusiveCreate.Owner] =
    try Some(StoreCall.until(patience.min(end.timeLeft).fromNow)(look))
    catch { case NonFatal(_) => None }
}

private object Creation {
  private val parts = 4L
  private val looks = 8L
  private val leastMillis = 50L
  private val mostMillis = 2000L

  /** Returns a random time to wait after a failed try. */
  private def pause(number: Int): FiniteDuration = {
    val most = math.min(mostMillis, leastMillis << math.min(number, 10))
    ThreadLocalRandom.current.nextLong(leastMillis, most + 1).millis
  }

  /** Whether the next try would fail, too: the right to write is missing, or the bucket. */
  private def isFinal(e: Throwable): Boolean = e match {
    case _: AccessDeniedException | _: AccessControlException => true
    case store: PathIOException => store.getClass.getSimpleName == "UnknownStoreException"
    case _ => false
  }
}
