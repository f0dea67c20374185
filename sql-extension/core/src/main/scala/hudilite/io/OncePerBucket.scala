package hudilite.io

import java.net.URI
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.fs.Path

/** Memory of the buckets that have passed a check of their store in this process. */
private[io] final class OncePerBucket {
  private val passed = new ConcurrentHashMap[URI, java.lang.Boolean]

  /** Runs the check unless the bucket has passed it; a bucket passes if the check does not throw.
    * @param root path of a table in the bucket */
  def pass(root: Path)(check: => Unit): Unit = {
    val uri = root.toUri
    val bucket = new URI(uri.getScheme, uri.getAuthority, "/", None.orNull, None.orNull)
    passed.computeIfAbsent(
      bucket,
      _ => {
        check
        true
      }
    ): Unit
  }
}
