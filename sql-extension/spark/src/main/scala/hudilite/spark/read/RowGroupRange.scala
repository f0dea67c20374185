package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration

import hudilite.view.{OpenedFile, StoredFile}

/** Position of a row group in its file (task side).
  * @param begin    offset of the first byte
  * @param bytes    length in bytes
  * @param firstRow number of the first row in the file, from 0
  * @param rows     number of rows
  * @param mayPass  whether a row may pass the filters */
private[read] final case class RowGroupRange(
    begin: Long,
    bytes: Long,
    firstRow: Long,
    rows: Long,
    mayPass: Boolean
) {
  def middle: Long = begin + bytes / 2
  def end: Long = begin + bytes
  def endRow: Long = firstRow + rows

  /** Whether two row groups have a row number in common. */
  def overlaps(other: RowGroupRange): Boolean = firstRow < other.endRow && other.firstRow < endRow
}

private[read] object RowGroupRange {

  /** Returns the row groups of a file, in order.
    * @param instant commit that the file belongs to
    * Errors: those of [[OpenedFile]]. */
  def of(
      file: StoredFile,
      instant: String,
      conf: Configuration,
      filter: RowGroupFilters
  ): Seq[RowGroupRange] =
    OpenedFile(file, instant, conf) { opened =>
      val reader = opened.reader
      val blocks = reader.getFooter.getBlocks.asScala.toSeq
      val before = blocks.scanLeft(0L)(_ + _.getRowCount)
      val kept = filter.kept(reader)
      blocks.zip(before).map { case (block, rows) =>
        RowGroupRange(
          block.getStartingPos,
          block.getCompressedSize,
          rows,
          block.getRowCount,
          kept(block.getStartingPos)
        )
      }
    }
}
