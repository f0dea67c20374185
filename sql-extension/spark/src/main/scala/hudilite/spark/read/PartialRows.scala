package hudilite.spark.read

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.hudilite.RowBatches
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.format.LogFileBlocks

/** Rows of a file slice of which updates have changed only some columns (task side): copies of the rows of
  * blocks, which are put together with each other and with rows of the base.
  * @param columns columns of the rows
  * Source: merge-on-read §4.6. */
private[read] final class PartialRows(columns: StructType) {
  import PartialRows._

  private val types = columns.fields.map(_.dataType)
  private val required = columns.indices.filter(!columns(_).nullable)
  private val mayBeNull = StructType(columns.map(_.copy(nullable = true)))
  private val wholeRow = UnsafeProjection.create(columns)
  private val blocks = mutable.Map.empty[Int, Block]
  private val taken = ArrayBuffer.empty[(Int, InternalRow)]

  /** Adds a block.
    * @param file log file, for errors
    * @param has  for each column whether the block has it */
  def addBlock(block: Int, file: String, has: Array[Boolean]): Unit = {
    val present = columns.indices.filter(has(_))
    val projection = UnsafeProjection.create(present.map(i => BoundReference(i, types(i), true)))
    blocks(block) = new Block(file, columns.indices.map(present.indexOf(_)).toArray, projection)
  }

  /** Adds a row of a block.
    * @param row    its number in the block
    * @param values its values of `columns`, then any others */
  def add(block: Int, row: Int, values: InternalRow): Unit = blocks(block).add(row, values)

  /** Forgets the rows of blocks that no row has columns of. */
  def retain(rows: Iterator[List[LogFold.Layer]]): Unit = {
    val needed = mutable.Map.empty[Int, mutable.BitSet]
    rows.flatten.foreach(of => needed.getOrElseUpdate(of.block, mutable.BitSet.empty) += of.row)
    blocks.foreach { case (number, block) =>
      block.retain(needed.getOrElse(number, mutable.BitSet.empty))
    }
  }

  /** Puts a row of a batch of the base together with rows of blocks.
    * @param row    its index in the batch
    * @param layers rows of blocks, see [[LogFold.partialRows]] */
  def take(row: Int, layers: List[LogFold.Layer], values: InternalRow): Unit =
    taken += row -> of(layers, Some(wholeRow(values).copy()))

  /** Returns the rows of the batch of the base that were put together, ascending by their indexes. */
  def takenRows(): Seq[(Int, InternalRow)] =
    if (taken.isEmpty) Nil
    else {
      val all = taken.toVector
      taken.clear()
      all
    }

  /** Returns a row of blocks alone. Columns that they do not have are NULL.
    * Errors: those of [[check]]. */
  def of(layers: List[LogFold.Layer]): InternalRow = {
    check(layers)
    unchecked(layers)
  }

  /** Returns a row of blocks alone, which may have NULL in any column. */
  def unchecked(layers: List[LogFold.Layer]): InternalRow = of(layers, None)

  /** Fails if no row of blocks has a column that must not be NULL.
    * Errors: HUDILITE_CORRUPT_DATA_FILE. */
  def check(layers: List[LogFold.Layer]): Unit = layers.headOption.foreach { first =>
    required.find(i => !layers.exists(layer => blocks(layer.block).has(i))).foreach { i =>
      throw LogFileBlocks.corrupt(
        blocks(first.block).file,
        "the row that a partial update changes is gone, and " +
          s"${columns(i).name} must not be NULL"
      )
    }
  }

  /** Returns a reader of rows in batches.
    * @param most most rows of a batch */
  def open(rows: Iterator[InternalRow], most: Int): PartitionReader[ColumnarBatch] =
    new RowBatches(rows, mayBeNull, most)

  private def of(layers: List[LogFold.Layer], base: Option[UnsafeRow]): InternalRow = {
    val found = layers.map(layer => blocks(layer.block) -> layer.row)
    val values = columns.indices.map { i =>
      found.find(_._1.has(i)) match {
        case Some((block, row)) => block.value(row, i, types(i))
        case None => base.fold[Any](null)(value(_, i, types(i)))
      }
    }
    new GenericInternalRow(values.toArray)
  }
}

private object PartialRows {
  private def value(row: UnsafeRow, at: Int, of: DataType): Any =
    if (row.isNullAt(at)) null else row.get(at, of)

  /** Copies of rows of a block.
    * @param file   log file
    * @param places for each column its place in the copies, or -1 */
  private final class Block(val file: String, places: Array[Int], projection: UnsafeProjection) {
    private var rows = new Array[UnsafeRow](16)

    def add(row: Int, values: InternalRow): Unit = {
      if (row >= rows.length)
        rows = java.util.Arrays.copyOf(rows, math.max(row + 1, 2 * rows.length))
      rows(row) = projection(values).copy()
    }

    def retain(needed: mutable.BitSet): Unit =
      rows.indices.foreach(row => if (!needed(row)) rows(row) = null)

    def has(column: Int): Boolean = places(column) >= 0

    def value(row: Int, column: Int, of: DataType): Any =
      PartialRows.value(rows(row), places(column), of)
  }
}

/** Readers for file slices whose log files have rows with only some columns.
  * @param base reader of bases that skips no rows: a row that fails a filter may pass it with other values
  * @param rows reader of data blocks: the columns of the rows, and at the end `_hoodie_record_key` if it is
  *             not one of them. Such blocks need not have the key columns */
private[read] final case class PartialReaders(base: SliceReaderFactory, rows: LogBlockReader)
