package hudilite.spark.read

import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/** View of the rows of a vector from some row on. Copies nothing, and does not close the vector.
  * @param from index of the row that becomes the first */
private[read] final class ShiftedVector(of: ColumnVector, from: Int)
    extends ColumnVector(of.dataType) {
  override def close(): Unit = ()
  override def hasNull: Boolean = of.hasNull
  override def numNulls: Int = of.numNulls
  override def isNullAt(row: Int): Boolean = of.isNullAt(row + from)
  override def getBoolean(row: Int): Boolean = of.getBoolean(row + from)
  override def getByte(row: Int): Byte = of.getByte(row + from)
  override def getShort(row: Int): Short = of.getShort(row + from)
  override def getInt(row: Int): Int = of.getInt(row + from)
  override def getLong(row: Int): Long = of.getLong(row + from)
  override def getFloat(row: Int): Float = of.getFloat(row + from)
  override def getDouble(row: Int): Double = of.getDouble(row + from)
  override def getArray(row: Int): ColumnarArray = of.getArray(row + from)
  override def getMap(row: Int): ColumnarMap = of.getMap(row + from)
  override def getUTF8String(row: Int): UTF8String = of.getUTF8String(row + from)
  override def getBinary(row: Int): Array[Byte] = of.getBinary(row + from)
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    of.getDecimal(row + from, precision, scale)

  /** Returns a field of a struct; its value is at the row index of the struct. */
  override def getChild(ordinal: Int): ColumnVector = new ShiftedVector(of.getChild(ordinal), from)
}
