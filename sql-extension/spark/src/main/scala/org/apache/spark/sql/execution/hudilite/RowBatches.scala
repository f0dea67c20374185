package org.apache.spark.sql.execution.hudilite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.RowToColumnConverter
import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Reader of rows as batches (task side). All batches have the same vectors. Bridge to Spark's
  * private[execution] RowToColumnConverter.
  * @param rows    rows; they are asked for when a batch is
  * @param columns their columns
  * @param most    most rows of a batch, at least 1 */
final class RowBatches(rows: Iterator[InternalRow], columns: StructType, most: Int)
    extends PartitionReader[ColumnarBatch] {
  private val converter = new RowToColumnConverter(columns)
  private lazy val vectors: Array[WritableColumnVector] =
    OnHeapColumnVector.allocateColumns(most, columns).map(identity)
  private lazy val batch = new ColumnarBatch(vectors.map(identity[ColumnVector]))
  private var opened = false

  override def next(): Boolean = rows.hasNext && {
    opened = true
    vectors.foreach(_.reset())
    var count = 0
    while (count < most && rows.hasNext) {
      converter.convert(rows.next(), vectors)
      count += 1
    }
    batch.setNumRows(count)
    true
  }

  override def get(): ColumnarBatch = batch
  override def close(): Unit = if (opened) batch.close()
}
