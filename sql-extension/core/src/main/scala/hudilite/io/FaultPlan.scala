package hudilite.io

import java.util.concurrent.atomic.AtomicLong

import scala.util.matching.Regex

/** Which file operation fails, and how; for crash tests only.
  * @param operation name of a Storage method or of a call of the tests' file system, or `*`
  * @param path      matched anywhere in the path
  * @param nth       from 1, counted over the calls that match
  * @param action    see [[FaultPlan.Action]] */
final case class FaultPlan(operation: String, path: Regex, nth: Long, action: FaultPlan.Action) {
  private val seen = new AtomicLong

  /** Counts a call; true for the one that shall fail. */
  def strikes(operation: String, path: String): Boolean =
    action == FaultPlan.Stop && hasStruck ||
      (this.operation == "*" || this.operation == operation) &&
      this.path.findFirstIn(path).nonEmpty &&
      seen.incrementAndGet() == nth

  /** Whether the call that shall fail has been made. */
  def hasStruck: Boolean = seen.get >= nth
}

object FaultPlan {

  /** What becomes of the call. */
  sealed abstract class Action(val text: String)

  /** The JVM halts before it. */
  case object Halt extends Action("halt")

  /** It fails before its effect. */
  case object Throw extends Action("throw")

  /** It fails before its effect, and so do all that follow, as if the process had died there. */
  case object Stop extends Action("stop")

  /** It fails after its effect: the answer is lost. */
  case object ThrowAfter extends Action("throwAfter")

  /** It fails with half of its bytes written; a call that writes nothing fails before its
    * effect. */
  case object Partial extends Action("partial")

  /** System property that opens [[FaultDoor]]. */
  val property = "hudilite.fault"

  private val actions = Seq(Halt, Throw, Stop, ThrowAfter, Partial)
  private val grammar = s"([^:]+):(.*):([0-9]+):(${actions.map(_.text).mkString("|")})".r

  /** @param text `operation:path regex:nth:action` */
  def parse(text: String): FaultPlan = text match {
    case grammar(operation, path, nth, action) =>
      FaultPlan(operation, path.r, nth.toLong, actions.find(_.text == action).getOrElse(Throw))
    case _ => throw new IllegalArgumentException(s"$property=$text: want op:path regex:nth:action")
  }
}
