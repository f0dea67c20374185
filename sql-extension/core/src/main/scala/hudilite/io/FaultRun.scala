package hudilite.io

import java.io.IOException
import java.util.concurrent.Callable

import scala.collection.mutable.ArrayBuffer

/** File operations of this process, numbered and logged, one of which a plan breaks; for crash
  * tests only.
  * @param root stands in the path of every call that counts; "" takes all
  * @param plan nothing, to count alone */
final class FaultRun(root: String, plan: Option[FaultPlan]) {
  private val lines = new ArrayBuffer[String]

  /** Makes a call, or breaks it.
    * @param partly writes half of the bytes
    * Errors: IOException as planned. */
  def around[A, B](operation: String, path: String, call: Callable[A], partly: Callable[B]): A = {
    def fault = new IOException(s"fault plan: $operation $path")
    struck(operation, path) match {
      case None => call.call()
      case Some(FaultPlan.Halt) =>
        Runtime.getRuntime.halt(137)
        throw fault
      case Some(FaultPlan.ThrowAfter) =>
        val _ = call.call()
        throw fault
      case Some(FaultPlan.Partial) =>
        val _ = partly.call()
        throw fault
      case Some(FaultPlan.Throw | FaultPlan.Stop) => throw fault
    }
  }

  /** A line for each call that counted: its number, thread, operation, path and the action that
    * broke it, between tabs. */
  def log: String = synchronized(lines.mkString("\n"))

  private def struck(operation: String, path: String): Option[FaultPlan.Action] =
    if (!path.contains(root)) None
    else
      synchronized {
        val action = plan.filter(_.strikes(operation, path)).map(_.action)
        val thread = Thread.currentThread.getName
        val end = action.fold("")(_.text)
        lines += s"${lines.length + 1}\t$thread\t$operation\t$path\t$end"
        action
      }
}
