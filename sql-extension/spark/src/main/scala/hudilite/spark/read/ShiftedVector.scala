package hudilite.spark.read

import org.apache.spark.sql.vectorized.ColumnVector

/** View of the rows of a vector from some row on.
  * @param from index of the row that becomes the first */
private[read] final class ShiftedVector(of: ColumnVector, from: Int) extends RowView(of) {
  override protected def place(row: Int): Int = row + from
  override protected def view(other: ColumnVector): ColumnVector = new ShiftedVector(other, from)
}
