package hudilite.spark.write

import scala.util.control.NonFatal

import hudilite.commit.Transaction
import hudilite.error.HudiliteException
import hudilite.io.StorageFault

/** One attempt of a write on the driver: it begins its instants, runs its tasks and commits, in
  * this order. After a failure the instants are aborted, and the caller gets the error that a user
  * can act on; a second failure, of the abort, is attached to it. A statement that a client cancels
  * is interrupted: it is aborted, too, and the abort is not.
  * @param begin   begins the instants; if it fails, nothing is aborted
  * @param explain error for the user of a failed attempt, e.g. that another process has rolled the
  *                write back
  * @param abort   deletes what the attempt has written; does nothing after the commit */
final class WriteAttempt[W](
    begin: () => W,
    explain: (W, Throwable) => Throwable,
    abort: W => Unit
) {

  /** Runs the attempt.
    * @param tasks  runs the Spark jobs that write the files
    * @param commit commits the files that count */
  def run[T, A](tasks: W => T)(commit: (W, T) => A): A = {
    val write =
      try begin()
      catch {
        case NonFatal(e) => throw StorageFault.explain(HudiliteException.find(e).getOrElse(e))
      }
    try commit(write, tasks(write))
    catch { case e @ (NonFatal(_) | _: InterruptedException) => throw failed(write, e) }
  }

  private def failed(write: W, e: Throwable): Throwable = {
    val isInterrupted = Thread.interrupted()
    try aborted(write, e)
    finally if (isInterrupted) Thread.currentThread.interrupt()
  }

  private def aborted(write: W, e: Throwable): Throwable = {
    val fault = StorageFault.explain(
      try explain(write, e)
      catch { case NonFatal(_) => HudiliteException.find(e).getOrElse(e) }
    )
    try abort(write)
    catch { case NonFatal(second) => fault.addSuppressed(second) }
    fault
  }
}

object WriteAttempt {

  /** Attempt of a write of one instant, or of several that commit together.
    * @param begin      begins the instants; the first one of the result makes the commit
    * @param partitions partitions that the tasks write to
    * @param aborted    called after everything that the attempt has written is deleted */
  def of(
      begin: () => Seq[Transaction],
      partitions: Seq[String],
      aborted: () => Unit = () => ()
  ): WriteAttempt[Seq[Transaction]] = new WriteAttempt[Seq[Transaction]](
    begin,
    (writes, e) => writes.head.explain(HudiliteException.find(e).getOrElse(e)),
    writes => if (writes.forall(_.abort(partitions))) aborted()
  )
}
