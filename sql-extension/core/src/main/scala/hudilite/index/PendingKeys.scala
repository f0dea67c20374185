package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

/** Buffer of keys that are to be added to a filter, by length, until there are enough of one length
  * to be hashed side by side. */
final private[index] class PendingKeys(shape: BloomShape) {
  import PendingKeys.longest

  private val lanes = Array.fill(longest + 1)(Option.empty[BloomLanes])
  private val alone = new BloomHash(shape.bits)
  private var filled = Array.emptyByteArray

  /** Adds a key.
    * @param key its bytes may change after the call
    * @param row row that receives the key's bits, at the latest with the next [[drain]] */
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

  /** Sets the bits of all keys in the buffer. */
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

  /** Length in bytes above which keys are hashed one by one. */
  private val longest = 64
}
