package hudilite.bootstrap

import java.util.Comparator

import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.KeyRange

/** Least and greatest of some keys, and whether the keys ascend.
  * @param order order in which keys are compared */
final private[bootstrap] class KeyBounds(order: Comparator[UTF8String]) {
  private var isEmpty = true
  private var ascends = true
  private var min, max = UTF8String.EMPTY_UTF8

  /** Adds a key.
    * @param key its bytes may change after the call */
  def add(key: UTF8String): Unit =
    if (isEmpty) {
      min = key.clone()
      max = min
      isEmpty = false
    } else if (order.compare(key, max) > 0) max = key.clone()
    else {
      ascends = false
      if (order.compare(key, min) < 0) min = key.clone()
    }

  /** Adds the keys of another object, which come after these. */
  def add(later: KeyBounds): Unit = later.range.foreach { range =>
    val follows = isEmpty || order.compare(range.min, max) > 0
    ascends = ascends && later.ascends && follows
    if (isEmpty || order.compare(range.min, min) < 0) min = range.min
    if (isEmpty || order.compare(range.max, max) > 0) max = range.max
    isEmpty = false
  }

  /** Bounds of the keys, None without keys. */
  def range: Option[KeyRange] = Option.when(!isEmpty)(KeyRange(min, max))

  /** Whether each key was greater than the one before. */
  def isAscending: Boolean = ascends

  /** Removes all keys. */
  def clear(): Unit = {
    isEmpty = true
    ascends = true
  }
}

private[bootstrap] object KeyBounds {

  /** Order of bytes. UTF8String.compareTo is not used because it checks on each call whether Spark
    * is under test. */
  val byBytes: Comparator[UTF8String] = (a, b) => a.binaryCompare(b)
}
