package hudilite.spark.read

import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/** View of a vector in another type: converts a value when it is asked for. Copies nothing, and does
  * not close the vector.
  * Source: [[TypeChange]]. */
private[read] object ConvertedVector {

  /** Returns a vector of Parquet's reader in another type; the vector itself if the types are equal.
    * @param from type of the vector
    * @param to   the same type, except that [[TypeChange]] converts some of its parts */
  def of(vector: ColumnVector, from: DataType, to: DataType): ColumnVector = (from, to) match {
    case _ if from == to => vector
    case (from: StructType, to: StructType) =>
      new Nested(vector, to,
        to.indices.map(i => of(vector.getChild(i), from(i).dataType, to(i).dataType)))
    case (from: ArrayType, to: ArrayType) =>
      new Nested(vector, to, Seq(of(vector.getChild(0), from.elementType, to.elementType)))
    case (from: MapType, to: MapType) =>
      new Nested(vector, to,
        Seq(
          of(vector.getChild(0), from.keyType, to.keyType),
          of(vector.getChild(1), from.valueType, to.valueType)
        ))
    case _ => new Values(vector, from, to)
  }

  /** Vector of numbers or texts. */
  private final class Values(vector: ColumnVector, from: DataType, to: DataType)
      extends View(vector, to) {
    private val values = new ColumnarArray(vector, 0, Int.MaxValue)
    private val row = new GenericInternalRow(1)
    private val conversion = TypeChange.convert(BoundReference(0, from, nullable = true), to)

    private val mayBeNull = TypeChange.mayBeNull(from, to)

    private def value(at: Int): Any = {
      row.update(0, values.get(at, from))
      conversion.eval(row)
    }

    override def hasNull: Boolean = mayBeNull || super.hasNull
    override def isNullAt(at: Int): Boolean =
      super.isNullAt(at) || mayBeNull && Option(value(at)).isEmpty

    override def getInt(at: Int): Int = to match {
      case DateType => value(at).asInstanceOf[Int]
      case _ => super.getInt(at)
    }
    override def getUTF8String(at: Int): UTF8String = value(at).asInstanceOf[UTF8String]
    override def getBinary(at: Int): Array[Byte] = getUTF8String(at).getBytes
    override def getFloat(at: Int): Float = value(at).asInstanceOf[Float]
    override def getDouble(at: Int): Double = value(at).asInstanceOf[Double]
    override def getDecimal(at: Int, precision: Int, scale: Int): Decimal =
      value(at).asInstanceOf[Decimal]
  }

  /** Vector of structs, arrays or maps.
    * @param parts fields of the struct, elements of the array, or keys and values of the map */
  private final class Nested(vector: ColumnVector, to: DataType, parts: Seq[ColumnVector])
      extends View(vector, to) {
    private val places = vector match {
      case own: WritableColumnVector => own
      case other => throw new IllegalStateException(s"INTERNAL: $other is not Parquet's vector")
    }

    override def getChild(ordinal: Int): ColumnVector = parts(ordinal)
    override def getArray(at: Int): ColumnarArray =
      new ColumnarArray(parts.head, places.getArrayOffset(at), places.getArrayLength(at))
    override def getMap(at: Int): ColumnarMap =
      new ColumnarMap(parts.head, parts.last, places.getArrayOffset(at), places.getArrayLength(at))
  }

  /** Vector with the nulls of another one. No value has a type without a conversion. */
  private abstract class View(vector: ColumnVector, to: DataType) extends RefusingVector(to) {
    override def hasNull: Boolean = vector.hasNull
    override def numNulls: Int = vector.numNulls
    override def isNullAt(at: Int): Boolean = vector.isNullAt(at)

    override protected def none: Nothing =
      throw new IllegalStateException(s"INTERNAL: no value is converted to $to in this way")
  }
}
