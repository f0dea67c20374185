package hudilite.spark.read

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Rows of a data block of a log file (task side).
  * @param inOneBatch whether there is exactly one batch; it stays as it is until the reader is closed or
  *                   asked for the next one
  * @param batches    reader of the rows */
private[read] final case class BlockRows(
    inOneBatch: Boolean,
    batches: PartitionReader[ColumnarBatch]
)

private[read] object BlockRows {

  /** Returns the rows of a block.
    * @param count number of rows
    * @param parts number of parts of the block that no batch spans, such as row groups
    * @param open  returns a reader of all rows in batches of at most so many */
  def of(settings: BatchSettings, count: Long, parts: Int)(
      open: Int => PartitionReader[ColumnarBatch]
  ): BlockRows =
    if (parts > 1 || count > settings.inOneBatch) BlockRows(inOneBatch = false, open(settings.rows))
    else BlockRows(count > 0, open(math.max(1, count.toInt)))
}
