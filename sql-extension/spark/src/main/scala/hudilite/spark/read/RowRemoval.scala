package hudilite.spark.read

import org.apache.spark.sql.catalyst.types._
import org.apache.spark.sql.execution.vectorized.{ConstantColumnVector, WritableColumnVector}
import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Removal of some rows of a batch: the last rows that stay take their places, in the vectors of Spark's
  * Parquet reader themselves. The cost is that of the rows that go, and the order of the rows changes.
  * @param to    places of rows that go
  * @param from  places of the rows that take them, after all rows that stay where they are
  * @param count number of the moves; the arrays may be longer
  * @param stay  number of rows that stay */
private[read] final class RowRemoval private (
    to: Array[Int],
    from: Array[Int],
    count: Int,
    stay: Int
) {

  /** Places of the rows that stay, for vectors that cannot be written. */
  private lazy val places = {
    val all = Array.range(0, stay)
    (0 until count).foreach(i => all(to(i)) = from(i))
    all
  }

  /** Returns a vector of the rows that stay; the given one may have changed. */
  private def applied(vector: ColumnVector): ColumnVector = vector match {
    case constant: ConstantColumnVector => constant
    case written: WritableColumnVector if moved(written) => written
    case other => new SelectedVector(other, places, stay)
  }

  /** Moves the values of a vector. Moving them once more changes nothing.
    * @return false if a type is not known; the first rows of the vector are the same then, or moved */
  private def moved(vector: WritableColumnVector): Boolean =
    vector.isAllNull || {
      if (vector.hasNull) each((to, from) =>
        if (vector.isNullAt(from)) vector.putNull(to) else vector.putNotNull(to)
      )
      if (vector.hasDictionary) {
        val ids = vector.getDictionaryIds
        each((to, from) => ids.putInt(to, ids.getDictId(from)))
        true
      } else valuesMoved(vector, PhysicalDataType(vector.dataType))
    }

  private def valuesMoved(vector: WritableColumnVector, of: PhysicalDataType): Boolean = {
    def done(move: (Int, Int) => Unit): Boolean = {
      each(move)
      true
    }
    of match {
      case PhysicalBooleanType => done((to, from) => vector.putBoolean(to, vector.getBoolean(from)))
      case PhysicalByteType => done((to, from) => vector.putByte(to, vector.getByte(from)))
      case PhysicalShortType => done((to, from) => vector.putShort(to, vector.getShort(from)))
      case PhysicalIntegerType => done((to, from) => vector.putInt(to, vector.getInt(from)))
      case PhysicalLongType => done((to, from) => vector.putLong(to, vector.getLong(from)))
      case PhysicalFloatType => done((to, from) => vector.putFloat(to, vector.getFloat(from)))
      case PhysicalDoubleType => done((to, from) => vector.putDouble(to, vector.getDouble(from)))
      case PhysicalDecimalType(precision, _) if precision <= Decimal.MAX_INT_DIGITS =>
        done((to, from) => vector.putInt(to, vector.getInt(from)))
      case PhysicalDecimalType(precision, _) if precision <= Decimal.MAX_LONG_DIGITS =>
        done((to, from) => vector.putLong(to, vector.getLong(from)))
      case _: PhysicalDecimalType | _: PhysicalStringType | PhysicalBinaryType |
          _: PhysicalArrayType | _: PhysicalMapType =>
        done((to, from) =>
          vector.putArray(to, vector.getArrayOffset(from), vector.getArrayLength(from))
        )
      case PhysicalStructType(fields) => childrenMoved(vector, fields.length)
      case PhysicalCalendarIntervalType => childrenMoved(vector, 3)
      case _: PhysicalVariantType => childrenMoved(vector, 2)
      case _ => false
    }
  }

  private def childrenMoved(vector: WritableColumnVector, children: Int): Boolean =
    (0 until children).forall(i => moved(vector.getChild(i)))

  private def each(move: (Int, Int) => Unit): Unit = {
    var i = 0
    while (i < count) {
      move(to(i), from(i))
      i += 1
    }
  }
}

private[read] object RowRemoval {

  /** Returns the first columns of a batch without some of its rows. The batch itself has changed then.
    * @param gone    indexes of the rows that go, ascending; may be longer
    * @param count   number of these rows, less than those of the batch
    * @param columns number of columns that are returned */
  def from(batch: ColumnarBatch, gone: Array[Int], count: Int, columns: Int): ColumnarBatch = {
    val first = Array.tabulate[ColumnVector](columns)(batch.column)
    val stay = batch.numRows - count
    val left =
      if (count == 0) first
      else {
        val removal = of(gone, count, batch.numRows)
        first.map(removal.applied)
      }
    new ColumnarBatch(left, stay)
  }

  private def of(gone: Array[Int], count: Int, rows: Int): RowRemoval = {
    val stay = rows - count
    val from = new Array[Int](count)
    var (last, at, moves) = (rows - 1, count - 1, 0)
    while (moves < count && gone(moves) < stay) {
      while (at >= 0 && gone(at) == last) {
        at -= 1
        last -= 1
      }
      from(moves) = last
      last -= 1
      moves += 1
    }
    new RowRemoval(gone, from, moves, stay)
  }
}
