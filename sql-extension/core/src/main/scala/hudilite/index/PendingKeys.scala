package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

/** Keys on their way into a filter, gathered by their length until there are enough to be hashed
  * side by side. */
final private[index] class PendingKeys(shape: BloomShape) {
  import PendingKeys.longest

  private val lanes = Array.fill(longest + 1)(Option.empty[BloomLanes])
  private val alone = new BloomHash(shape.bits)
  private var filled = Array.emptyByteArray

  /** @param key its bytes may change after the call
    * @param row that gets its bits, by the next [[drain]] at the latest */
  def take(key: UTF8String, row: Array[Byte]): Unit = {
    if (row ne filled) {
      drain()
      filled = row
    }
    val length = key.numBytes
    if (0 < length && length <= longest) of(length).take(key, row)
    else {
      alone.start(key)
      var i = 0
      while (i < shape.hashes) {
        BloomLanes.set(row, alone.next())
        i += 1
      }
    }
  }

  /** Sets the bits of all that were taken. */
  def drain(): Unit = lanes.foreach(_.foreach(_.drain(filled)))

  private def of(length: Int): BloomLanes = lanes(length) match {
    case Some(found) => found
    case None =>
      val made = new BloomLanes(shape, length)
      lanes(length) = Some(made)
      made
  }
}

private object PendingKeys {

  /** Longer keys, in bytes, are hashed one by one. */
  private val longest = 64
}
