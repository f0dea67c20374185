package hudilite.spark.read

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Rows of a data block of a log file (task side).
  * @param values     number of rows times that of columns
  * @param inOneBatch whether there is exactly one batch; it stays as it is until the reader is closed or
  *                   asked for the next one
  * @param batches    reader of the rows */
private[read] final case class BlockRows(
    values: Long,
    inOneBatch: Boolean,
    batches: PartitionReader[ColumnarBatch]
)

private[read] object BlockRows {

  /** Returns the rows of a block. They are in one batch if that is not large.
    * @param count   number of rows
    * @param columns number of columns that are read
    * @param parts   number of parts of the block that no batch spans, such as row groups
    * @param open    returns a reader of all rows in batches of at most so many */
  def of(settings: BatchSettings, count: Long, columns: Int, parts: Int)(
      open: Int => PartitionReader[ColumnarBatch]
  ): BlockRows = {
    val values = count * math.max(1, columns)
    if (parts > 1 || values > settings.inOneBatch)
      BlockRows(values, inOneBatch = false, open(settings.rows))
    else BlockRows(values, count > 0, open(math.max(1, count.toInt)))
  }
}
