package hudilite.io

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap

/** Cache of this JVM, whose values are released when memory is short. */
private[hudilite] final class SoftCache[K, V] {
  private val values = new ConcurrentHashMap[K, SoftReference[V]]

  /** Returns the value of a key, None if there is none or if it was released. */
  def get(key: K): Option[V] = Option(values.get(key)).flatMap(soft => Option(soft.get))

  /** Stores a value in place of an earlier one. */
  def put(key: K, value: V): Unit = values.put(key, new SoftReference(value)): Unit
}
