package hudilite.spark.read

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** View of chosen rows of a vector, in any order; a row may be chosen more than once.
  * @param rows  indexes of the rows; may be longer
  * @param count number of rows */
private[read] final class SelectedVector(of: ColumnVector, rows: Array[Int], count: Int)
    extends RowView(of) {
  override protected def place(row: Int): Int = rows(row)
  override protected def view(other: ColumnVector): ColumnVector =
    new SelectedVector(other, rows, count)

  override def hasNull: Boolean = of.hasNull && (0 until count).exists(isNullAt)
  override def numNulls: Int = if (of.hasNull) (0 until count).count(isNullAt) else 0
}

/** View of chosen rows of a batch, in any order.
  * @param whole batch with all rows; it may have more columns
  * @param rows  indexes of the rows; may be longer */
private[spark] final class SelectedBatch private (
    val whole: ColumnarBatch,
    rows: Array[Int],
    vectors: Array[ColumnVector],
    count: Int
) extends ColumnarBatch(vectors, count) {

  /** Returns the index that a row of the view has in [[whole]]. */
  def place(row: Int): Int = rows(row)
}

private[read] object SelectedBatch {

  /** Returns chosen rows of a batch, without a copy. They are valid as long as the batch is, and as
    * nothing changes the indexes.
    * @param rows    indexes of the rows; may be longer
    * @param count   number of rows
    * @param columns number of columns, the first ones of the batch */
  def of(batch: ColumnarBatch, rows: Array[Int], count: Int, columns: Int): ColumnarBatch =
    new SelectedBatch(
      batch,
      rows,
      Array.tabulate[ColumnVector](columns)(i => new SelectedVector(batch.column(i), rows, count)),
      count
    )

  /** Returns a batch without some of its rows, without a copy.
    * @param gone    indexes of these rows, ascending; may be longer
    * @param count   number of these rows
    * @param columns as for [[of]] */
  def without(batch: ColumnarBatch, gone: Array[Int], count: Int, columns: Int): ColumnarBatch = {
    val stay = new Array[Int](batch.numRows - count)
    var (row, next) = (0, 0)
    while (row < batch.numRows) {
      if (next < count && gone(next) == row) next += 1 else stay(row - next) = row
      row += 1
    }
    of(batch, stay, stay.length, columns)
  }
}
