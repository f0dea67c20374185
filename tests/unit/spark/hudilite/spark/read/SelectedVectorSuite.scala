package hudilite.spark.read

import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval
import org.scalatest.funsuite.AnyFunSuite

/** Views of rows of a vector. [[LogBlocksSuite]] has those of the types that files contain. */
class SelectedVectorSuite extends AnyFunSuite {

  test("intervals, and structs in structs, are at the places of their rows") {
    val times = new OnHeapColumnVector(3, CalendarIntervalType)
    (0 until 3).foreach(i => times.putInterval(i, new CalendarInterval(i, 10 + i, 100L + i)))
    assert(new SelectedVector(times, Array(2, 0), 2).getInterval(0) ==
      new CalendarInterval(2, 12, 102L))
    assert(new ShiftedVector(times, 1).getInterval(0) == new CalendarInterval(1, 11, 101L))

    val nested = new StructType().add("a", new StructType().add("b", LongType))
    val structs = new OnHeapColumnVector(3, nested)
    (0 until 3).foreach(i => structs.getChild(0).getChild(0).putLong(i, i.toLong))
    val selected = new SelectedVector(structs, Array(2, 1), 2)
    assert(selected.getStruct(0).getStruct(0, 1).getLong(0) == 2L)
    assert(selected.getChild(0) eq selected.getChild(0))
  }

  test("a view of a view") {
    val numbers = new OnHeapColumnVector(4, IntegerType)
    (0 until 4).foreach(i => numbers.putInt(i, 10 * i))
    val last = new SelectedVector(new ShiftedVector(numbers, 1), Array(2, 0), 2)
    assert(Seq(last.getInt(0), last.getInt(1)) == Seq(30, 10))
    assert(last.getInts(0, 2).toSeq == Seq(30, 10))
  }
}
