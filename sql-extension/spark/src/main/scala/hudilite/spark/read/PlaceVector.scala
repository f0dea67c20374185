package hudilite.spark.read

import org.apache.spark.sql.types.LongType

/** Vector of the positions of rows in their file (task side).
  * @param place position of the batch's first row */
private[read] final class PlaceVector(place: RowPlace) extends RefusingVector(LongType) {
  override def getLong(row: Int): Long = place.first + row
  override def hasNull: Boolean = false
  override def numNulls: Int = 0
  override def isNullAt(row: Int): Boolean = false

  override protected def none: Nothing =
    throw new UnsupportedOperationException("INTERNAL: it holds numbers")
}
