package hudilite.io

import java.io.IOException
import java.nio.file.AccessDeniedException

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

class StorageFaultSuite extends AnyFunSuite {
  private def explained(thrown: Throwable): Option[HudiliteException] =
    Some(StorageFault.explain(thrown)).collect { case e: HudiliteException => e }

  test("a known fault is found in the causes of a failed job, and is one line") {
    val fault = new AccessDeniedException("s3a://b/t/.hoodie: 403\nand more.")
    val job = new RuntimeException("Job aborted", new IllegalStateException(fault))
    val told = explained(job)
    assert(told.map(_.condition).contains("HUDILITE_STORAGE_FAILED"))
    assert(told.exists(_.getCause eq job))
    assert(told.map(_.parameters("detail")).contains("s3a://b/t/.hoodie: 403"))
    assert(told.forall(e => !e.getMessage.contains('\n')))
  }

  test("what the operating system says of a disk is known") {
    Seq("No space left on device", "Disk quota exceeded", "Read-only file system").foreach {
      words =>
        val told = explained(new RuntimeException(new IOException(s"/t/f ($words)")))
        assert(told.map(_.parameters("detail")).contains(s"/t/f ($words)"), words)
    }
  }

  test("a store that did not answer is known, unless the cause says more") {
    val path = new Path("s3a://b/t/.hoodie/1.inflight")
    val silent = explained(new UnknownOutcomeException(path, new StoreTimeoutException))
    assert(silent.exists(_.parameters("reason").contains("not known whether it created a file")))
    val refused = explained(new UnknownOutcomeException(path, new AccessDeniedException("403")))
    assert(refused.exists(_.parameters("reason").contains("no right")))
    val late = explained(new RuntimeException("Job aborted", new StoreTimeoutException))
    assert(late.map(_.condition).contains("HUDILITE_STORAGE_FAILED"))
  }

  test("an answer of the store that nothing explains is known, unless the cause says more") {
    import StorageFaultSuite.AWSS3IOException
    val conflict = explained(new RuntimeException(new AWSS3IOException("Status Code: 409")))
    assert(conflict.exists(_.parameters("detail") == "Status Code: 409"))
    val skewed = explained(new AWSS3IOException("RequestTimeTooSkewed"))
    assert(skewed.exists(_.parameters("reason").contains("the clock of this host")))
  }

  test("an unknown fault, and one that is explained already, stay what they are") {
    val unknown = new IOException("something else")
    assert(StorageFault.explain(unknown) eq unknown)
    val words = new IllegalStateException("No space left on device: not of the storage")
    assert(StorageFault.explain(words) eq words)
    val ours = new RuntimeException(
      new HudiliteException("HUDILITE_MISSING_FILE", Map("path" -> "p"),
        new AccessDeniedException("p"))
    )
    assert(StorageFault.explain(ours) eq ours)
    val circle = new RuntimeException("first")
    circle.initCause(new RuntimeException("second", circle)): Unit
    assert(StorageFault.explain(circle) eq circle)
  }
}

private object StorageFaultSuite {

  /** The exception of the S3 connector, by its name. */
  private final class AWSS3IOException(message: String) extends IOException(message)
}
