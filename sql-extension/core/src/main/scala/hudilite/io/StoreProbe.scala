package hudilite.io

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays
import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import org.apache.hadoop.fs.Path

/** Check that a bucket keeps a name for the first that creates it. It runs before the first
  * creation of this process in the bucket, and finds every store that ignores the condition of a
  * write. It does not find a store that is wrong only under contention. */
private[io] final class StoreProbe(storage: ObjectStorage, create: Creation, root: Path) {
  private val scheme = root.toUri.getScheme
  private val folder = Storage.temporary(Storage.resolve(root, "probe"))
  private val file = Storage.resolve(folder, "probe")

  /** Runs the check unless the bucket has passed it.
    * Errors: HUDILITE_UNSAFE_STORAGE; those of the store. */
  def passOnce(): Unit = {
    val bucket = new URI(scheme, root.toUri.getAuthority, "/", None.orNull, None.orNull)
    StoreProbe.passed.computeIfAbsent(bucket, _ => run()): Unit
  }

  /** Nothing depends on the file of the check, so a fault of the store is thrown as it is. */
  private def run(): java.lang.Boolean = {
    try check()
    catch { case e: UnknownOutcomeException => throw e.getCause }
    finally Try(storage.deleteTree(folder)): Unit
    true
  }

  private def check(): Unit = {
    val (first, second) = (bytes("first"), bytes("second"))
    val twice = create(file, first) && create(file, second)
    if (twice || !Arrays.equals(storage.read(file), first))
      throw UnsafeStore.overwriting(scheme).error
    if (!storage.names(folder).contains(file.getName)) throw Storage.stale(file)
    storage.deleteAll(Seq(file))(identity): Unit
    if (!create(file, second)) throw UnsafeStore.remembering(scheme).error
  }

  private def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)
}

private object StoreProbe {
  private val passed = new ConcurrentHashMap[URI, java.lang.Boolean]
}
