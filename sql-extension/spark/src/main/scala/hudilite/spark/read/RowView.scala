package hudilite.spark.read

import org.apache.spark.sql.types.{CalendarIntervalType, DataType, Decimal, StructType, VariantType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/** View of some rows of a vector, which have other indexes in it. Copies nothing, and does not close
  * the vector. */
private[read] abstract class RowView(of: ColumnVector) extends ColumnVector(of.dataType) {

  /** Returns the index that a row of the view has in the vector. */
  protected def place(row: Int): Int

  /** Returns the same view of another vector. */
  protected def view(other: ColumnVector): ColumnVector

  private lazy val fields =
    Array.tabulate(RowView.fields(of.dataType))(i => view(of.getChild(i)))

  override def close(): Unit = ()
  override def hasNull: Boolean = of.hasNull
  override def numNulls: Int = of.numNulls
  override def isNullAt(row: Int): Boolean = of.isNullAt(place(row))
  override def getBoolean(row: Int): Boolean = of.getBoolean(place(row))
  override def getByte(row: Int): Byte = of.getByte(place(row))
  override def getShort(row: Int): Short = of.getShort(place(row))
  override def getInt(row: Int): Int = of.getInt(place(row))
  override def getLong(row: Int): Long = of.getLong(place(row))
  override def getFloat(row: Int): Float = of.getFloat(place(row))
  override def getDouble(row: Int): Double = of.getDouble(place(row))
  override def getArray(row: Int): ColumnarArray = of.getArray(place(row))
  override def getMap(row: Int): ColumnarMap = of.getMap(place(row))
  override def getUTF8String(row: Int): UTF8String = of.getUTF8String(place(row))
  override def getBinary(row: Int): Array[Byte] = of.getBinary(place(row))
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    of.getDecimal(place(row), precision, scale)

  /** Returns a field of a struct; its value is at the row index of the struct. */
  override def getChild(ordinal: Int): ColumnVector = fields(ordinal)
}

private object RowView {

  /** Number of the vectors that have a part of each value, at the index of the value. */
  private def fields(of: DataType): Int = of match {
    case struct: StructType => struct.length
    case CalendarIntervalType => 3
    case VariantType => 2
    case _ => 0
  }
}
