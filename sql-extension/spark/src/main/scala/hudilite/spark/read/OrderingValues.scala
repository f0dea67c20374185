package hudilite.spark.read

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.OrderingValue

/** Values of the ordering fields of the rows of a batch.
  * @param places indexes of the fields' columns
  * @param types  types of the fields */
private[read] final class OrderingValues(
    batch: ColumnarBatch,
    places: Seq[Int],
    types: Seq[DataType]
) {
  private val columns =
    places.map(i => new ColumnarArray(batch.column(i), 0, batch.numRows)).toArray
  private val ofTypes = types.toArray

  /** Returns copies of the values of a row. */
  def at(row: Int): Array[Any] = Array.tabulate[Any](columns.length) { i =>
    columns(i).get(row, ofTypes(i)) match {
      case text: UTF8String => text.copy()
      case value => value
    }
  }
}

private[read] object OrderingValues {

  /** Returns the values of a deletion as Spark's values of the ordering fields; None for a deletion
    * in commit time. Stock Hudi compares values of one class only, and a deletion with another one
    * wins.
    * Source: merge-on-read §4.1. */
  def of(deletion: OrderingValue, types: Seq[DataType]): Option[Array[Any]] = {
    val values = deletion match {
      case OrderingValue.OfSeveral(all) => all
      case OrderingValue.CommitTime => Vector.empty
      case one: OrderingValue.Typed => Vector(Some(one))
    }
    val known = values.lazyZip(types).flatMap((value, of) => value.flatMap(spark(_, of)))
    Option.when(types.nonEmpty && values.size == types.size && known.size == types.size)(
      known.toArray
    )
  }

  private def spark(value: OrderingValue.Typed, of: DataType): Option[Any] = (value, of) match {
    case (OrderingValue.OfBoolean(v), BooleanType) => Some(v)
    case (OrderingValue.OfInt(v), IntegerType) => Some(v)
    case (OrderingValue.OfInt(v), ShortType) => Some(v.toShort)
    case (OrderingValue.OfInt(v), ByteType) => Some(v.toByte)
    case (OrderingValue.OfInt(days), DateType) => Some(days)
    case (OrderingValue.OfLong(v), LongType | TimestampType | TimestampNTZType) => Some(v)
    case (OrderingValue.OfFloat(v), FloatType) => Some(v)
    case (OrderingValue.OfDouble(v), DoubleType) => Some(v)
    case (OrderingValue.OfBytes(v), BinaryType) => Some(v.toArray)
    case (OrderingValue.OfString(v), _: StringType) => Some(UTF8String.fromString(v))
    case (OrderingValue.OfDate(days), DateType) => Some(days)
    case (OrderingValue.OfDecimal(v), of: DecimalType) =>
      val exact = Decimal(v)
      Option.when(exact.changePrecision(of.precision, of.scale))(exact)
    case (OrderingValue.OfTimestampMicros(v), TimestampType | TimestampNTZType) => Some(v)
    case _ => None
  }
}
