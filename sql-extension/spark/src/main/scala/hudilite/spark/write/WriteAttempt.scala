package hudilite.spark.write

import scala.util.control.NonFatal

import hudilite.error.HudiliteException

/** One attempt of a write, from its tasks to its commit (driver side). */
object WriteAttempt {

  /** Runs an attempt. When it fails, the write is abandoned and the caller gets the error that a
    * user can act on; a second failure, of the clean-up, is attached to it.
    * @param explain error of the failure, e.g. that another process has rolled the write back
    * @param abort   deletes what the attempt has written; does nothing after the commit
    * @param attempt tasks and commit */
  def run[A](explain: Throwable => Throwable, abort: () => Unit)(attempt: => A): A =
    try attempt
    catch {
      case NonFatal(e) =>
        val fault =
          try explain(e)
          catch { case NonFatal(_) => HudiliteException.find(e).getOrElse(e) }
        try abort()
        catch { case NonFatal(second) => fault.addSuppressed(second) }
        throw fault
    }
}
