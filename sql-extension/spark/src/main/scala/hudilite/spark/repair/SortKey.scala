package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.expressions.{Ascending, BoundReference, SortOrder}
import org.apache.spark.sql.types.{DataType, LongType, StringType}

import hudilite.index.ZValue

/** Key by which a clustering spreads rows over files. The rows have the columns of
  * [[ClusterOrder.schema]]. */
sealed private[repair] trait SortKey extends Serializable {

  /** Returns the key of a row; it is valid as long as the row. */
  def of(row: InternalRow): InternalRow

  def ordering: Ordering[InternalRow]
}

private[repair] object SortKey {

  /** The row itself, by its columns in turn. */
  private final class InTurn(val ordering: Ordering[InternalRow]) extends SortKey {
    override def of(row: InternalRow): InternalRow = row
  }

  /** Z-value of the ranges of the columns' values, then the record key.
    * @param columns ranges of the values of each column
    * @param keyAt   place of the record key in a row */
  private final class ByZValue(
      columns: Array[RowRanges],
      keyAt: Int,
      val ordering: Ordering[InternalRow]
  ) extends SortKey {
    private val width = ZValue.width(columns.length)

    override def of(row: InternalRow): InternalRow = {
      val numbers = columns.map(of => ZValue.spread(of.of(row), of.count, width))
      InternalRow(ZValue.of(numbers, width), row.getUTF8String(keyAt))
    }
  }

  /** Keys of an order. */
  final class Factory(order: ClusterOrder) {
    private val types = order.schema.map(_.dataType)
    private val inTurn = by(types)
    private lazy val ofColumns = order.columns.indices.map(i => by(Seq(types(i)), i))
    private lazy val ofZValue = by(Seq(LongType, StringType))

    /** Returns the key for the rows of a partition.
      * @param rows sample of them; may be empty if one file gets them all */
    def of(rows: Seq[RowRanges.Weighted]): SortKey =
      if (!order.isZOrder) new InTurn(inTurn)
      else {
        val ranges = 1 << ZValue.width(order.columns.size)
        new ByZValue(
          ofColumns.map(RowRanges.of(rows, ranges, _)).toArray,
          order.columns.size,
          ofZValue
        )
      }

    /** Returns the ascending ordering by columns that follow each other, from the place `first` on. */
    private def by(columns: Seq[DataType], first: Int = 0): Ordering[InternalRow] =
      new LazilyGeneratedOrdering(columns.zipWithIndex.map { case (dataType, i) =>
        SortOrder(BoundReference(first + i, dataType, nullable = true), Ascending)
      })
  }
}
