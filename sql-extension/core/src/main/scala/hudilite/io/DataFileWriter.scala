package hudilite.io

/** Writer of one data file. Either `close` completes the file or `abandon` lets go of it. */
trait DataFileWriter {

  /** Writes the footer; the file is complete afterwards. */
  def close(): Unit

  /** Releases the file and its buffers without completing it; never fails. */
  def abandon(): Unit
}
