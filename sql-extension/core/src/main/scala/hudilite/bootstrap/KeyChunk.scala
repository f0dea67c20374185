package hudilite.bootstrap

import org.apache.spark.unsafe.types.UTF8String

/** Writer of the record key column chunk of one row group. */
private[bootstrap] trait KeyChunk {

  /** Adds the next row's key, whose bytes may change after the call. */
  def add(key: UTF8String): Unit

  /** Writes the rest of the chunk.
    * @return bounds of all keys, in the order of their bytes */
  def end(): KeyBounds
}
