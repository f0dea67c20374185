package hudilite.io

import java.util.concurrent.Callable
import java.util.concurrent.atomic.AtomicReference

/** Arms fault plans in a running JVM; for crash tests only. It is shut unless the JVM was started
  * with `-Dhudilite.fault`: a plan, armed from the start, or `later`. */
object FaultDoor {
  private val asked = Option(System.getProperty(FaultPlan.property))
  private lazy val armed = new AtomicReference(
    asked.filter(_ != "later").map(plan => new FaultRun("", Some(FaultPlan.parse(plan))))
  )

  private[io] def isOpen: Boolean = asked.nonEmpty

  private[io] def current: Option[FaultRun] = armed.get

  /** Counts file operations from now on, and breaks one.
    * @param root stands in the path of every call that counts
    * @param plan as FaultPlan.parse takes it; "" to count alone
    * Errors: IllegalStateException when the door is shut. */
  def arm(root: String, plan: String): Unit = {
    if (!isOpen) throw new IllegalStateException(s"no JVM option -D${FaultPlan.property}=later")
    armed.set(Some(new FaultRun(root, Some(plan).filter(_.nonEmpty).map(FaultPlan.parse))))
  }

  /** Breaks nothing any more.
    * @return the log of what counted */
  def disarm(): String = armed.getAndSet(None).fold("")(_.log)

  /** A call of the tests' file system, made or broken; see [[FaultRun.around]]. */
  def around[A, B](operation: String, path: String, call: Callable[A], partly: Callable[B]): A =
    current match {
      case Some(run) => run.around(operation, path, call, partly)
      case None => call.call()
    }
}
