package hudilite.spark.read

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.hudilite.RowBatches
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Rows of a file slice of which updates have changed only some columns (task side): copies of the rows of
  * blocks and of the base, of which each row is put together.
  * @param columns columns of the rows
  * Source: merge-on-read §4.6. */
private[read] final class PartialRows(columns: StructType) {
  private val types = columns.fields.map(_.dataType)
  private val projection = UnsafeProjection.create(columns)
  private val ofBlocks = mutable.Map.empty[(Int, Int), UnsafeRow]
  private val ofBase = mutable.Map.empty[Int, UnsafeRow]
  private val stored = mutable.Map.empty[Int, Array[Boolean]]

  /** Adds a block whose rows have only some columns.
    * @param has for each column whether the block has it */
  def addBlock(block: Int, has: Array[Boolean]): Unit = stored(block) = has

  /** Adds a row of a block.
    * @param row    its number in the block
    * @param values its values of `columns`, then any others */
  def add(block: Int, row: Int, values: InternalRow): Unit =
    ofBlocks((block, row)) = projection(values).copy()

  /** Adds the base row of a key.
    * @param key number of the key */
  def addBase(key: Int, values: InternalRow): Unit = ofBase(key) = projection(values).copy()

  /** Returns a reader of the rows that are put together.
    * @param rows the keys with the rows of blocks that they have columns of, see [[LogFold.partialRows]];
    *             columns that no block has are those of the base row, or NULL if there is none
    * @param most most rows of a batch */
  def open(rows: Iterator[(Int, List[LogFold.Layer])], most: Int): PartitionReader[ColumnarBatch] =
    new RowBatches(rows.map { case (key, layers) => of(key, layers) }, columns, most)

  private def of(key: Int, layers: List[LogFold.Layer]): InternalRow = {
    val values = new Array[Any](types.length)
    val isSet = new Array[Boolean](types.length)
    def take(from: UnsafeRow, has: Int => Boolean): Unit = types.indices.foreach { i =>
      if (!isSet(i) && has(i)) {
        values(i) = if (from.isNullAt(i)) null else from.get(i, types(i))
        isSet(i) = true
      }
    }
    layers.foreach { layer =>
      take(ofBlocks((layer.block, layer.row)), i => stored.get(layer.block).forall(_(i)))
    }
    ofBase.get(key).foreach(take(_, _ => true))
    new GenericInternalRow(values)
  }
}

/** Readers for file slices whose log files have rows with only some columns.
  * @param base reader of bases that skips no rows: a row that fails a filter may pass it with other values
  * @param rows reader of data blocks: the columns of the rows, and at the end `_hoodie_record_key` if it is
  *             not one of them. Such blocks need not have the key columns */
private[read] final case class PartialReaders(base: SliceReaderFactory, rows: LogBlockReader)
