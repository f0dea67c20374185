package hudilite.spark.diff

import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** When two values are the same. */
class ValueEqualitySuite extends AnyFunSuite {

  private def value(of: Any, dataType: DataType): Literal =
    Literal(CatalystTypeConverters.createToCatalystConverter(dataType)(of), dataType)

  private def differ(dataType: DataType)(one: Any, other: Any): Boolean = {
    val forth = ValueEquality.differs(value(one, dataType), value(other, dataType)).eval()
    val back = ValueEquality.differs(value(other, dataType), value(one, dataType)).eval()
    assert(forth == back)
    forth == true
  }

  test("NULL is equal to NULL alone, NaN to NaN, and 0.0 to -0.0") {
    assert(!differ(IntegerType)(null, null))
    assert(differ(IntegerType)(null, 0))
    assert(!differ(DoubleType)(Double.NaN, Double.NaN))
    assert(differ(DoubleType)(Double.NaN, 1.0))
    assert(!differ(DoubleType)(0.0, -0.0))
    assert(!differ(ArrayType(FloatType))(Seq(Float.NaN, 0f), Seq(Float.NaN, -0f)))
  }

  test("texts and bytes are compared byte by byte, decimals by value") {
    assert(differ(StringType)("a", "a "))
    assert(differ(BinaryType)(Array[Byte](0, -1), Array[Byte](0, 1)))
    assert(!differ(BinaryType)(Array[Byte](0, -1), Array[Byte](0, -1)))
    assert(
      !differ(DecimalType(10, 2))(new java.math.BigDecimal("1.10"), new java.math.BigDecimal("1.1"))
    )
  }

  private val map = MapType(StringType, IntegerType)

  test("maps are equal if they have the same entries") {
    assert(
      !differ(map)(Map[String, Any]("a" -> 1, "b" -> null), Map[String, Any]("b" -> null, "a" -> 1))
    )
    assert(differ(map)(Map("a" -> 1), Map("a" -> 2)))
    assert(differ(map)(Map("a" -> 1), Map[String, Any]("a" -> 1, "b" -> null)))
    assert(differ(map)(Map("a" -> 1), Map("b" -> 1)))
    assert(differ(map)(Map.empty, null))
    assert(!differ(map)(null, null))
  }

  test("so are maps inside of arrays, structs and maps") {
    val (one, same, other) =
      (Map("a" -> 1, "b" -> 2), Map("b" -> 2, "a" -> 1), Map("a" -> 1, "b" -> 3))
    val array = ArrayType(map)
    assert(!differ(array)(Seq(one, null), Seq(same, null)))
    assert(differ(array)(Seq(one, null), Seq(one, other)))
    val struct = new StructType().add("x", IntegerType).add("m", map)
    def row(of: Any*) = org.apache.spark.sql.Row(of: _*)
    assert(!differ(struct)(row(1, one), row(1, same)))
    assert(differ(struct)(row(1, one), row(1, other)))
    assert(differ(struct)(row(null, null), null))
    val deep = MapType(StringType, struct)
    assert(
      !differ(deep)(Map("k" -> row(1, one), "l" -> null), Map("l" -> null, "k" -> row(1, same)))
    )
    assert(differ(deep)(Map("k" -> row(1, one)), Map("k" -> row(1, other))))
  }

  test("values of VARIANT cannot be compared, wherever they are") {
    assert(ValueEquality.isComparable(MapType(StringType, ArrayType(map))))
    Seq(VariantType, ArrayType(VariantType), MapType(StringType, VariantType),
      new StructType().add("v", VariantType)).foreach { of =>
      assert(!ValueEquality.isComparable(of), of)
    }
  }

  test("integers and decimals of other sizes are compared in a type of all their values") {
    assert(ComparedColumns.typeOf(IntegerType, LongType).contains(LongType))
    assert(ComparedColumns.typeOf(ShortType, ByteType).contains(ShortType))
    assert(
      ComparedColumns.typeOf(DecimalType(10, 2), DecimalType(8, 4)).contains(DecimalType(12, 4))
    )
    assert(ComparedColumns.typeOf(IntegerType, DecimalType(12, 2)).contains(DecimalType(12, 2)))
    assert(ComparedColumns.typeOf(LongType, DecimalType(38, 20)).isEmpty)
    Seq(FloatType -> DoubleType, IntegerType -> DoubleType, IntegerType -> StringType,
      DateType -> TimestampType).foreach { case (one, other) =>
      assert(ComparedColumns.typeOf(one, other).isEmpty, one)
    }
  }
}
