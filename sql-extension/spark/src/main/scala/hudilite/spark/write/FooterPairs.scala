package hudilite.spark.write

import org.apache.spark.unsafe.types.UTF8String

/** Collector of record keys that makes the key-value pairs of a new file's footer (task side). */
trait FooterPairs {

  /** Whether the keys of old rows that stay must be added, too. */
  def needsAllKeys: Boolean

  /** Adds the key of a row of the file; keys must come in the order of their bytes. */
  def add(key: UTF8String): Unit

  /** Returns the key-value pairs for the footer of a file with `rows` rows. */
  def footer(rows: Long): Map[String, String]
}
