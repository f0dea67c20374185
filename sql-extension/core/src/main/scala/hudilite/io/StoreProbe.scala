package hudilite.io

import scala.util.Try

import org.apache.hadoop.fs.Path

/** Check that a bucket keeps a name for the first that creates it. It runs before the first
  * creation of this process in the bucket, and finds every store that ignores the condition of a
  * write. It does not find a store that is wrong only under contention: [[LocationCheck]] does. */
private[io] final class StoreProbe(storage: ObjectStorage, root: Path) {

  /** Runs the check unless the bucket has passed it.
    * Errors: HUDILITE_UNSAFE_STORAGE; those of the store. */
  def passOnce(): Unit = StoreProbe.passed.pass(root) {
    val steps = new ProbeSteps(storage, root)
    try steps.inTurn.foreach(_.run())
    finally Try(storage.deleteFilesBelow(steps.folder)): Unit
  }
}

private object StoreProbe {
  private val passed = new OncePerBucket
}
