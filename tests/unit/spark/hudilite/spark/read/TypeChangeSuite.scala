package hudilite.spark.read

import org.apache.parquet.schema.{MessageTypeParser, PrimitiveType}
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.scalatest.funsuite.AnyFunSuite

/** Values of a file in types that the table's columns no longer have. */
class TypeChangeSuite extends AnyFunSuite {

  private def column(text: String): PrimitiveType =
    MessageTypeParser.parseMessageType(s"message m { optional $text; }").getType(0).asPrimitiveType

  private def vector(of: DataType, capacity: Int = 4)(
      fill: OnHeapColumnVector => Unit
  ): OnHeapColumnVector = {
    val made = new OnHeapColumnVector(capacity, of)
    fill(made)
    made
  }

  private def texts(from: DataType, rows: Int)(fill: OnHeapColumnVector => Unit): Seq[String] = {
    val converted = ConvertedVector.of(vector(from)(fill), from, StringType)
    (0 until rows).map(i => converted.getUTF8String(i).toString)
  }

  test("a number or a date becomes the text that CAST makes of it") {
    assert(texts(IntegerType, 2) { v => v.putInt(0, -7); v.putInt(1, Int.MinValue) } ==
      Seq("-7", "-2147483648"))
    assert(texts(DateType, 2) { v => v.putInt(0, 1); v.putInt(1, -141427) } ==
      Seq("1970-01-02", "1582-10-15"))
    assert(texts(FloatType, 2) { v => v.putFloat(0, 1.1f); v.putFloat(1, Float.NaN) } ==
      Seq("1.1", "NaN"))
    assert(texts(DecimalType(9, 8), 2) { v => v.putInt(0, 1); v.putInt(1, 120000000) } ==
      Seq("1E-8", "1.20000000"))
  }

  test("a float becomes the double with the same text, and a null stays null") {
    val stored = vector(FloatType) { v => v.putFloat(0, 1.1f); v.putNull(1) }
    val converted = ConvertedVector.of(stored, FloatType, DoubleType)
    assert(converted.getDouble(0) == 1.1d && !converted.isNullAt(0) && converted.isNullAt(1))
    assert(converted.hasNull && converted.numNulls == 1)
  }

  test("a field of a struct and an element of an array are converted") {
    val from = StructType(Seq(StructField("a", ArrayType(IntegerType)), StructField("b", LongType)))
    val to = StructType(Seq(StructField("a", ArrayType(StringType)), StructField("b", LongType)))
    val stored = vector(from) { v =>
      val lists = v.getChild(0)
      lists.arrayData.putInt(0, 5)
      lists.arrayData.putInt(1, 6)
      lists.putArray(0, 0, 0)
      lists.putArray(1, 0, 2)
      v.getChild(1).putLong(1, 9L)
    }
    val row = ConvertedVector.of(stored, from, to).getStruct(1)
    assert(row.getArray(0).toSeq[Any](StringType).map(_.toString) == Seq("5", "6"))
    assert(row.getLong(1) == 9L)
  }

  test("a value that is asked for in another type than the vector's is an error") {
    val converted: ColumnVector =
      ConvertedVector.of(vector(LongType)(_ => ()), LongType, StringType)
    assertThrows[IllegalStateException](converted.getLong(0))
  }

  test("a text becomes a date or a decimal, or null if it is none") {
    val stored = vector(StringType) { v =>
      Seq("2024-01-15", "x", "12.345").zipWithIndex.foreach { case (text, i) =>
        v.putByteArray(i, text.getBytes)
      }
      v.putNull(3)
    }
    val dates = ConvertedVector.of(stored, StringType, DateType)
    assert(dates.getInt(0) == 19737)
    assert((0 until 4).map(dates.isNullAt) == Seq(false, true, true, true) && dates.hasNull)
    val decimals = ConvertedVector.of(stored, StringType, DecimalType(10, 2))
    assert((0 until 4).map(decimals.isNullAt) == Seq(true, true, false, true))
    assert(decimals.getDecimal(2, 10, 2).toString == "12.35")
  }

  test("a float becomes the decimal that CAST makes of it") {
    val stored = vector(FloatType) { v =>
      Seq(1.1f, -2.675f, Float.NaN, 1e30f).zipWithIndex.foreach { case (x, i) => v.putFloat(i, x) }
    }
    val decimals = ConvertedVector.of(stored, FloatType, DecimalType(12, 2))
    assert(Seq(0, 1).map(decimals.getDecimal(_, 12, 2).toString) == Seq("1.10", "-2.67"))
    assert(decimals.isNullAt(2) && decimals.isNullAt(3))
  }

  test("only a change that stock Hudi reads is converted") {
    val kept = Seq(
      ("int32 c", StringType, IntegerType),
      ("int32 c (INTEGER(8,true))", StringType, IntegerType),
      ("int32 c (DATE)", StringType, DateType),
      ("int64 c", FloatType, LongType),
      ("int64 c (INTEGER(64,true))", DoubleType, LongType),
      ("float c", DoubleType, FloatType),
      ("int64 c", DecimalType(21, 2), LongType),
      ("int32 c (DECIMAL(5,2))", DecimalType(12, 3), DecimalType(5, 2)),
      ("binary c (STRING)", DateType, StringType),
      ("binary c (STRING)", DecimalType(10, 2), StringType),
      ("float c", DecimalType(10, 2), FloatType),
      ("double c", DecimalType(10, 2), DoubleType)
    )
    kept.foreach { case (text, to, from) => assert(TypeChange.of(column(text), to).contains(from)) }
    val others = Seq(
      ("int32 c", LongType),
      ("int32 c", DoubleType),
      ("int64 c", IntegerType),
      ("int64 c (TIMESTAMP(MICROS,true))", StringType),
      ("int32 c (DECIMAL(5,2))", DecimalType(5, 2)),
      ("int32 c (DECIMAL(5,2))", DecimalType(5, 3)),
      ("int64 c", DecimalType(20, 2)),
      ("binary c (STRING)", StringType),
      ("binary c (STRING)", TimestampType),
      ("binary c (STRING)", IntegerType),
      ("binary c", DateType),
      ("double c", FloatType)
    )
    others.foreach { case (text, to) => assert(TypeChange.of(column(text), to).isEmpty, text) }
  }
}
