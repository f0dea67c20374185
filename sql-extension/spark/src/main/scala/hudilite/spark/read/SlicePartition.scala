package hudilite.spark.read

import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{HasPartitionKey, InputPartition}
import org.apache.spark.sql.execution.datasources.PartitionedFile

import hudilite.view.{FileSlice, StoredFile}

/** Input partition: parts of file slices that one task reads one after another. Planned on the
  * driver, sent to the task. */
private[read] final case class SlicePartition(parts: Seq[SlicePart]) extends InputPartition

private[read] object SlicePartition {

  /** Returns the input partition of all rows of a slice. */
  def whole(slice: FileSlice): SlicePartition = SlicePartition(Seq(SlicePart.whole(slice)))
}

/** Input partition with its key: the slices of one bucket. */
private[read] final case class GroupedSlices(slices: SlicePartition, key: InternalRow)
    extends InputPartition
    with HasPartitionKey {
  override def partitionKey(): InternalRow = key
}

/** Rows of a slice by bytes of the file with the data columns: those of the row groups whose middle
  * is in the range. Rows of log files are in the first part, and all rows if there are partial updates.
  * @param start  first byte
  * @param length number of bytes */
private[read] final case class SlicePart(slice: FileSlice, start: Long, length: Long) {

  /** Whether the part has all rows of the slice. */
  def isWhole: Boolean = start == 0 && length == slice.dataLength

  /** Returns the part of the base alone, None if the slice has no base. */
  def ofBase: Option[SlicePart] = slice.withoutLogs.map { base =>
    if (isWhole) SlicePart.whole(base) else copy(slice = base)
  }

  /** Returns the range for Spark's Parquet reader. The slice has no log files, see
    * [[FileSlice.onlyBase]]. */
  def file: PartitionedFile = SlicePart.range(slice.onlyBase.data, start, length)
}

private[read] object SlicePart {
  def whole(slice: FileSlice): SlicePart = SlicePart(slice, 0L, slice.dataLength)

  /** Whether several tasks may read parts of a slice. Log files that are not small beside the base are
    * read once: such a slice is one part. */
  def mayCut(slice: FileSlice): Boolean = {
    val ofBase = slice.withoutLogs.fold(0L)(_.dataLength)
    slice.dataLength - ofBase <= ofBase / 4
  }

  /** Returns a range of bytes of a file for Spark's Parquet reader. */
  def range(file: StoredFile, start: Long, length: Long): PartitionedFile = PartitionedFile(
    InternalRow.empty,
    SparkPath.fromPath(file.path),
    start,
    length,
    fileSize = file.length
  )
}
