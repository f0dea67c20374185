package hudilite.io

import org.apache.parquet.io.OutputFile

/** Output of a new file of Parquet, whose bytes can be discarded. */
trait DataOutput extends OutputFile {

  /** Discards what was written, where that is possible. */
  def abort(): Unit
}
