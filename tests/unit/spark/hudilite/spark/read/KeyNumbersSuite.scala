package hudilite.spark.read

import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType}
import org.scalatest.funsuite.AnyFunSuite

/** Numbers of keys. */
class KeyNumbersSuite extends AnyFunSuite {
  private val count = 3000

  /** Returns a vector of the keys `3 * row`. */
  private def keys(of: DataType) = {
    val vector = new OnHeapColumnVector(count, of)
    (0 until count).foreach { row =>
      of match {
        case StringType => vector.putByteArray(row, (row * 3).toString.getBytes)
        case LongType => vector.putLong(row, row * 3L)
        case _ => vector.putInt(row, row * 3)
      }
    }
    vector
  }

  test("keys have numbers in the order in which they were added, by value and by text") {
    Seq(StringType, LongType, IntegerType).foreach { of =>
      val (vector, numbers) = (keys(of), KeyNumbers.of(of))
      (0 until count by 2).foreach(row => assert(numbers.add(vector, row) == row / 2))
      (0 until count by 2).foreach(row => assert(numbers.add(vector, row) == row / 2))
      (0 until count).foreach { row =>
        assert(numbers.find(vector, row) == (if (row % 2 == 0) row / 2 else -1))
      }
      assert(numbers.add("6").contains(1) && numbers.add("3").contains(count / 2))
      assert(numbers.find(vector, 1) == count / 2 && numbers.size == count / 2 + 1)
    }
  }

  test("a text that no number has is the key of no row") {
    Seq("03", "+3", "x", "", "3.0").foreach { text =>
      assert(KeyNumbers.of(LongType).add(text).isEmpty)
      assert(KeyNumbers.of(StringType).add(text).contains(0))
    }
  }
}
