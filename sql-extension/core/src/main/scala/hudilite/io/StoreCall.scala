package hudilite.io

import java.io.{IOException, InterruptedIOException}
import java.util.concurrent.{ExecutionException, FutureTask, TimeUnit, TimeoutException}

import scala.annotation.tailrec
import scala.concurrent.duration.{Deadline, DurationInt, FiniteDuration}

import org.apache.hadoop.conf.Configuration

import hudilite.error.{HudiliteException, Settings}

/** Calls to a store, each in a thread of its own. An interrupt of the caller does not reach that
  * thread: a request that breaks off would leave in doubt what it has done. The caller gets its
  * interrupt back when the call ends. A connector may go on for many minutes with a store that does
  * not answer, so the caller can stop waiting before. */
private[io] object StoreCall {

  /** Setting: seconds after which hudilite stops waiting for a store. */
  private val setting = "spark.hudilite.write.storeSeconds"

  private val forever = 365.days

  /** Reads the setting.
    * Errors: HUDILITE_SETTING_INVALID. */
  def limit(conf: Configuration): FiniteDuration = {
    val text = conf.getTrimmed(setting, Settings.default(setting))
    text.toIntOption.filter(_ > 0).getOrElse(throw invalid(text)).seconds
  }

  /** Waits for a call until a moment.
    * Errors: [[StoreTimeoutException]] if it has not ended by then; it still runs. */
  def until[A](end: Deadline)(call: => A): A = run(end, forever)(call)

  /** Waits for a call, and after an interrupt for a limited time.
    * @param grace time to wait after an interrupt
    * Errors: InterruptedIOException if the call has not ended by then. */
  def patiently[A](grace: FiniteDuration)(call: => A): A = run(forever.fromNow, grace)(call)

  private def run[A](end: Deadline, grace: FiniteDuration)(call: => A): A = {
    val task = new FutureTask[A](() => call)
    val thread = new Thread(task, "hudilite-store-call")
    thread.setDaemon(true)
    thread.start()
    await(task, end, grace, interrupted = false)
  }

  @tailrec private def await[A](
      task: FutureTask[A],
      end: Deadline,
      grace: FiniteDuration,
      interrupted: Boolean
  ): A =
    waited(task, end) match {
      case Ended(answer) =>
        if (interrupted) Thread.currentThread.interrupt()
        answer.fold(throw _, identity)
      case Interrupted =>
        val later = grace.fromNow
        await(task, if (later < end) later else end, grace, interrupted = true)
      case Overdue if interrupted =>
        Thread.currentThread.interrupt()
        throw new InterruptedIOException("the store has not answered since an interrupt")
      case Overdue => throw new StoreTimeoutException
    }

  private def waited[A](task: FutureTask[A], end: Deadline): Waited[A] =
    try Ended(Right(task.get(end.timeLeft.toNanos, TimeUnit.NANOSECONDS)))
    catch {
      case e: ExecutionException => Ended(Left(e.getCause))
      case _: InterruptedException => Interrupted
      case _: TimeoutException => Overdue
    }

  private def invalid(value: String) = HudiliteException(
    "HUDILITE_SETTING_INVALID",
    "key" -> setting,
    "value" -> value,
    "known" -> Settings.values(setting)
  )

  private sealed trait Waited[+A]
  private final case class Ended[A](answer: Either[Throwable, A]) extends Waited[A]
  private case object Interrupted extends Waited[Nothing]
  private case object Overdue extends Waited[Nothing]
}

/** Exception for a call to a store that has not ended in time; its effect may still come. */
private[io] final class StoreTimeoutException extends IOException("the store has not answered")
