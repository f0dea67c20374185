package hudilite.bootstrap

import org.apache.spark.unsafe.types.UTF8String

/** The record keys of one row group on their way into the file. */
private[bootstrap] trait KeyChunk {

  /** Takes the next row's key, which it may keep. */
  def add(key: UTF8String): Unit

  /** Writes what is left. */
  def end(): Unit
}
