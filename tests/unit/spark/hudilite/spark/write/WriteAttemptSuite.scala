package hudilite.spark.write

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

class WriteAttemptSuite extends AnyFunSuite {

  test("an attempt begins, runs its tasks and commits, in this order") {
    val steps = mutable.ArrayBuffer.empty[String]
    val done = attempt(steps).run { write =>
      steps += s"tasks of $write"
      2
    } { (write, files) =>
      steps += s"commit of $files files of $write"
      files + 1
    }
    assert(done == 3)
    assert(steps == Seq("begin", "tasks of w", "commit of 2 files of w"))
  }

  test("a failure of the tasks or of the commit is explained, then the write is aborted") {
    val fault = new RuntimeException("a task failed")
    val ofTasks, ofCommit = mutable.ArrayBuffer.empty[String]
    val first = intercept[IllegalStateException](
      attempt(ofTasks).run[Int, Int](_ => throw fault)((_, files) => files)
    )
    val second = intercept[IllegalStateException](
      attempt(ofCommit).run[Int, Int](_ => 1)((_, _) => throw fault)
    )
    assert(Seq(first, second).forall(_.getCause eq fault))
    assert(ofTasks == Seq("begin", "explain w", "abort w") && ofCommit == ofTasks)
  }

  test("an interrupted write is aborted, and the abort is not interrupted") {
    def during(failure: Throwable, isInterrupted: Boolean): (Throwable, Boolean, Boolean) = {
      var duringAbort = true
      val attempt = new WriteAttempt[String](
        () => "w",
        (_, e) => e,
        _ => duringAbort = Thread.currentThread.isInterrupted
      )
      def tasks: Int = {
        if (isInterrupted) Thread.currentThread.interrupt()
        throw failure
      }
      val thrown = intercept[Throwable](attempt.run[Int, Int](_ => tasks)((_, files) => files))
      (thrown, duringAbort, Thread.interrupted())
    }
    val waited = new InterruptedException
    val failed = new RuntimeException("the job was cancelled")
    assert(during(waited, isInterrupted = false) == ((waited, false, false)))
    assert(during(failed, isInterrupted = true) == ((failed, false, true)))
  }

  test("a failure of the abort is attached to the first one") {
    val second = new RuntimeException("nothing can be deleted")
    val aborting = new WriteAttempt[String](() => "w", (_, e) => e, _ => throw second)
    val fault = new RuntimeException("a task failed")
    assert(intercept[RuntimeException](
      aborting.run[Int, Int](_ => throw fault)((_, files) => files)
    ) eq fault)
    assert(fault.getSuppressed.toSeq == Seq(second))
  }

  test("a failure that cannot be explained is thrown as hudilite's own error behind it") {
    val ours = HudiliteException("HUDILITE_BUCKET_COUNT_INVALID", "value" -> "0")
    val fault = new RuntimeException("a task failed", ours)
    def explain(e: Throwable): Throwable = throw new IllegalStateException(e)
    val unexplained = new WriteAttempt[String](() => "w", (_, e) => explain(e), _ => ())
    assert(intercept[HudiliteException](
      unexplained.run[Int, Int](_ => throw fault)((_, files) => files)
    ) eq ours)
  }

  test("a write that does not begin is not aborted") {
    val steps = mutable.ArrayBuffer.empty[String]
    val ours = HudiliteException("HUDILITE_BUCKET_COUNT_INVALID", "value" -> "0")
    val unbegun = new WriteAttempt[String](
      () => throw new RuntimeException("the timeline is closed", ours),
      (_, e) => e,
      write => steps += s"abort $write"
    )
    assert(intercept[HudiliteException](unbegun.run[Int, Int](_ => 1)((_, files) => files)) eq ours)
    assert(steps == Nil)
  }

  private def attempt(steps: mutable.Buffer[String]) = new WriteAttempt[String](
    () => {
      steps += "begin"
      "w"
    },
    (write, e) => {
      steps += s"explain $write"
      new IllegalStateException(e)
    },
    write => steps += s"abort $write"
  )
}
