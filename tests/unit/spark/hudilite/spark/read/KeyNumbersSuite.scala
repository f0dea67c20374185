package hudilite.spark.read

import org.apache.spark.sql.execution.vectorized.{Dictionary, OnHeapColumnVector}
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType}
import org.apache.spark.sql.vectorized.ColumnVector
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
      assert(found(numbers, vector) == (0 until count by 2).map(row => row -> row / 2))
      assert(numbers.add("6").contains(1) && numbers.add("3").contains(count / 2))
      assert(found(numbers, vector).take(2) == Seq(0 -> 0, 1 -> count / 2))
      assert(numbers.size == count / 2 + 1)
    }
  }

  test("keys are found in vectors of every kind, and a row without a key is none") {
    Seq(StringType, LongType, IntegerType).foreach { of =>
      val (vector, numbers) = (keys(of), KeyNumbers.of(of))
      (0 until count by 3).foreach(row => numbers.add(vector, row))
      Seq(0, 6, 8).foreach(vector.putNull)
      val expected = (9 until count by 3).map(row => row -> row / 3).prepended(3 -> 1)
      assert(found(numbers, vector) == expected)
      val rows = Array.range(0, count)
      assert(found(numbers, new SelectedVector(vector, rows, count)) == expected)
    }
    val (texts, numbers) = (new OnHeapColumnVector(4, StringType), KeyNumbers.of(StringType))
    val ids = texts.reserveDictionaryIds(4)
    texts.setDictionary(new KeyNumbersSuite.Texts(Seq("", "aä", "a key of more bytes than 8")))
    (0 until 4).foreach(row => ids.putInt(row, row % 3))
    Seq("a key of more bytes than 8", "").foreach(numbers.add)
    assert(found(numbers, texts, 4) == Seq(0 -> 1, 2 -> 0, 3 -> 1))
    assert(found(KeyNumbers.of(StringType), texts, 4).isEmpty)
  }

  private def found(numbers: KeyNumbers, keys: ColumnVector, rows: Int = count) = {
    val (places, of) = (new Array[Int](rows), new Array[Int](rows))
    val found = numbers.find(keys, rows, places, of)
    places.zip(of).take(found).toSeq
  }

  test("a text that no number has is the key of no row") {
    Seq("03", "+3", "x", "", "3.0").foreach { text =>
      assert(KeyNumbers.of(LongType).add(text).isEmpty)
      assert(KeyNumbers.of(StringType).add(text).contains(0))
    }
  }
}

object KeyNumbersSuite {

  /** Dictionary of texts. */
  private final class Texts(texts: Seq[String]) extends Dictionary {
    override def decodeToBinary(id: Int): Array[Byte] = texts(id).getBytes
    override def decodeToInt(id: Int): Int = throw new UnsupportedOperationException
    override def decodeToLong(id: Int): Long = throw new UnsupportedOperationException
    override def decodeToFloat(id: Int): Float = throw new UnsupportedOperationException
    override def decodeToDouble(id: Int): Double = throw new UnsupportedOperationException
  }
}
