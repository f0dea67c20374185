package hudilite.io

import java.io.IOException
import java.util.concurrent.atomic.AtomicLong

import scala.util.matching.Regex

import org.apache.hadoop.fs.Path

/** What a [[FaultStorage]] does to the n-th call that matches; for crash tests only. After a Stop
  * every call fails, as if the process had died there.
  * @param operation name of a Storage method, or `*`
  * @param path      matched anywhere in the path
  * @param nth       from 1, counted over the whole process
  * @param action    see [[FaultPlan.Action]] */
final case class FaultPlan(operation: String, path: Regex, nth: Long, action: FaultPlan.Action) {
  private val seen = new AtomicLong

  /** Counts a call; true for the one that shall fail. */
  def strikes(operation: String, path: Path): Boolean =
    action == FaultPlan.Stop && hasStruck ||
      (this.operation == "*" || this.operation == operation) &&
      this.path.findFirstIn(path.toString).nonEmpty &&
      seen.incrementAndGet() == nth

  /** Whether the call that shall fail has been made. */
  def hasStruck: Boolean = seen.get >= nth
}

object FaultPlan {

  /** The JVM halts before the call; the call fails before its effect, once or with all that
    * follow; or after it. */
  sealed trait Action
  case object Halt extends Action
  case object Throw extends Action
  case object Stop extends Action
  case object ThrowAfter extends Action

  val property = "hudilite.fault"
  private val grammar = "([^:]+):(.*):([0-9]+):(halt|stop|throw|throwAfter)".r

  /** The plan in the system property, read once: its count belongs to the process. */
  private[io] lazy val configured: Option[FaultPlan] =
    Option(System.getProperty(property)).map(parse)

  /** @param text `operation:path regex:nth:action` */
  def parse(text: String): FaultPlan = text match {
    case grammar(operation, path, nth, action) =>
      FaultPlan(operation, path.r, nth.toLong, actionOf(action))
    case _ => throw new IllegalArgumentException(s"$property=$text: want op:path regex:nth:action")
  }

  private def actionOf(text: String): Action = text match {
    case "halt" => Halt
    case "throw" => Throw
    case "stop" => Stop
    case "throwAfter" => ThrowAfter
  }
}

/** Storage that fails once, as its plan says. */
final class FaultStorage(inner: Storage, plan: FaultPlan) extends Storage {
  def list(dir: Path): Seq[FileEntry] = struck("list", dir)(inner.list(dir))
  override def names(dir: Path): Seq[String] = struck("names", dir)(inner.names(dir))
  def status(path: Path): Option[FileEntry] = struck("status", path)(inner.status(path))
  def read(path: Path): Array[Byte] = struck("read", path)(inner.read(path))
  def createNew(path: Path, bytes: Array[Byte]): Boolean =
    struck("createNew", path)(inner.createNew(path, bytes))
  def replace(path: Path, bytes: Array[Byte]): Unit =
    struck("replace", path)(inner.replace(path, bytes))
  def delete(path: Path): Boolean = struck("delete", path)(inner.delete(path))
  def deleteTree(dir: Path): Boolean = struck("deleteTree", dir)(inner.deleteTree(dir))
  def mkdirs(dir: Path): Unit = struck("mkdirs", dir)(inner.mkdirs(dir))
  def fsync(path: Path): Unit = struck("fsync", path)(inner.fsync(path))

  private def struck[A](operation: String, path: Path)(call: => A): A =
    if (!plan.strikes(operation, path)) call
    else
      plan.action match {
        case FaultPlan.Halt =>
          Runtime.getRuntime.halt(137)
          call
        case FaultPlan.Throw | FaultPlan.Stop => throw fault(operation, path)
        case FaultPlan.ThrowAfter =>
          val _ = call
          throw fault(operation, path)
      }

  private def fault(operation: String, path: Path): IOException =
    new IOException(s"fault plan: $operation $path")
}
