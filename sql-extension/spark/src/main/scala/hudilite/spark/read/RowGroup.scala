package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration

import hudilite.view.{FileSlice, OpenedFile}

/** Where a row group lies in its file (task side).
  * @param begin    first byte
  * @param bytes    length
  * @param firstRow number of its first row in the file
  * @param mayPass  whether a row of it may pass the filters that were asked */
private[read] final case class RowGroup(
    begin: Long,
    bytes: Long,
    firstRow: Long,
    rows: Long,
    mayPass: Boolean
) {
  def middle: Long = begin + bytes / 2
  def end: Long = begin + bytes
  def endRow: Long = firstRow + rows

  /** Whether they have a row in common, by number. */
  def overlaps(other: RowGroup): Boolean = firstRow < other.endRow && other.firstRow < endRow
}

private[read] object RowGroup {

  /** Those of a file, in order.
    * Errors: those of [[OpenedFile]]. */
  def of(slice: FileSlice, conf: Configuration, filter: RowGroupFilters): Seq[RowGroup] =
    OpenedFile(slice, conf) { reader =>
      val blocks = reader.getFooter.getBlocks.asScala.toSeq
      val before = blocks.scanLeft(0L)(_ + _.getRowCount)
      val kept = filter.kept(reader)
      blocks.zip(before).map { case (block, rows) =>
        RowGroup(
          block.getStartingPos,
          block.getCompressedSize,
          rows,
          block.getRowCount,
          kept(block.getStartingPos)
        )
      }
    }
}
