package hudilite.spark.read

import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/** Vector that refuses each kind of value; a class below it returns those that it has. It holds nothing
  * that must be closed. */
private[read] abstract class RefusingVector(of: DataType) extends ColumnVector(of) {

  /** Throws the error of a kind of value that the vector does not have. */
  protected def none: Nothing

  override def close(): Unit = ()
  override def getBoolean(at: Int): Boolean = none
  override def getByte(at: Int): Byte = none
  override def getShort(at: Int): Short = none
  override def getInt(at: Int): Int = none
  override def getLong(at: Int): Long = none
  override def getFloat(at: Int): Float = none
  override def getDouble(at: Int): Double = none
  override def getArray(at: Int): ColumnarArray = none
  override def getMap(at: Int): ColumnarMap = none
  override def getDecimal(at: Int, precision: Int, scale: Int): Decimal = none
  override def getUTF8String(at: Int): UTF8String = none
  override def getBinary(at: Int): Array[Byte] = none
  override def getChild(ordinal: Int): ColumnVector = none
}
