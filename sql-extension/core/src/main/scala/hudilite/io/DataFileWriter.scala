package hudilite.io

/** Writer of one data file. Either `close` completes the file or `abandon` lets go of it. */
trait DataFileWriter {

  /** Writes the footer; the file is complete afterwards. */
  def close(): Unit

  /** Bytes written so far; after `close`, the length of the file. */
  def length: Long

  /** Releases the file and its buffers without completing it; never fails. */
  def abandon(): Unit
}
