package hudilite.lock

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.control.NonFatal

/** Action that a thread of its own repeats until this is closed. An action that fails is tried again
  * after the next pause. */
private[lock] final class Repeated private (closed: CountDownLatch) extends AutoCloseable {

  /** Ends the repetition. An action that is running goes on to its end. */
  override def close(): Unit = closed.countDown()
}

private[lock] object Repeated {

  /** Starts to repeat an action.
    * @param millis pause before each time */
  def every(name: String, millis: Long)(action: () => Unit): Repeated = {
    val closed = new CountDownLatch(1)
    def run(): Unit =
      while (!closed.await(millis, TimeUnit.MILLISECONDS))
        try action()
        catch { case NonFatal(_) => () } // the next time may succeed
    val thread = new Thread(() => run(), name)
    thread.setDaemon(true)
    thread.start()
    new Repeated(closed)
  }
}
