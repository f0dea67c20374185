package hudilite.bootstrap

import java.util.Comparator

import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.KeyRange

/** The least and the greatest of some keys.
  * @param order in which they are */
final private[bootstrap] class KeyBounds(order: Comparator[UTF8String]) {
  private var found = Option.empty[KeyRange]

  /** @param key stays here */
  def add(key: UTF8String): Unit = found match {
    case None => found = Some(KeyRange(key, key))
    case Some(KeyRange(min, max)) =>
      if (order.compare(key, max) > 0) found = Some(KeyRange(min, key))
      else if (order.compare(key, min) < 0) found = Some(KeyRange(key, max))
  }

  /** None without keys. */
  def range: Option[KeyRange] = found

  /** Forgets all keys. */
  def clear(): Unit = found = None
}

private[bootstrap] object KeyBounds {

  /** The order of bytes; compareTo of UTF8String asks the environment each time whether Spark is under
    * test. */
  val byBytes: Comparator[UTF8String] = (a, b) => a.binaryCompare(b)
}
