package hudilite.bootstrap

import org.apache.spark.unsafe.types.UTF8String

/** The record keys of one row group on their way into the file. */
private[bootstrap] trait KeyChunk {

  /** Takes the next row's key, whose bytes may change after the call. */
  def add(key: UTF8String): Unit

  /** Writes what is left.
    * @return the bounds of all keys, in the order of their bytes */
  def end(): KeyBounds
}
