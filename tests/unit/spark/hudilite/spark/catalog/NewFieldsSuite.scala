package hudilite.spark.catalog

import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class NewFieldsSuite extends AnyFunSuite {
  private def of(ddl: String) = StructType.fromDDL(ddl)

  private def grown(own: String, rows: String, byName: Boolean = true) =
    NewFields.grown(of(own), of(rows), byName)

  test("fields that only the rows have come after the own ones, which keep type and order") {
    assert(grown("a INT, b STRING", "c DATE, B INT, a BIGINT") == of("a INT, b STRING, c DATE"))
  }

  test("structs in structs, arrays and maps grow, too, and keys of maps do not") {
    val own = "s STRUCT<a: INT>, l ARRAY<STRUCT<a: INT>>, m MAP<STRUCT<a: INT>, STRUCT<a: INT>>"
    val rows =
      "s STRUCT<b: INT>, l ARRAY<STRUCT<b: INT>>, m MAP<STRUCT<b: INT>, STRUCT<a: INT, b: INT>>"
    assert(grown(own, rows) == of(
      "s STRUCT<a: INT, b: INT>, l ARRAY<STRUCT<a: INT, b: INT>>, " +
        "m MAP<STRUCT<a: INT>, STRUCT<a: INT, b: INT>>"
    ))
  }

  test("by position, a new field has a new name") {
    assert(grown("a INT", "b INT, c INT", byName = false) == of("a INT, c INT"))
    assert(grown("a INT", "b INT, A INT", byName = false) == of("a INT"))
    assert(grown("a INT, b INT", "c INT", byName = false) == of("a INT, b INT"))
  }

  test("new fields may be null at every level") {
    val strict = StructType(Seq(StructField("x", IntegerType, nullable = false)))
    val rows = StructType(Seq(StructField("l", ArrayType(strict, containsNull = false), false)))
    assert(NewFields.grown(new StructType(), rows, byName = true) ==
      of("l ARRAY<STRUCT<x: INT>>"))
  }

  test("other types stay as they are") {
    assert(NewFields.grown(IntegerType, of("a INT"), byName = true) == IntegerType)
  }

  test("paths are those of ALTER TABLE ADD COLUMN") {
    val own = of("s STRUCT<a: INT>, l ARRAY<STRUCT<a: INT>>, m MAP<STRING, STRUCT<a: INT>>")
    val to = of(
      "s STRUCT<a: INT, `b c`: INT>, l ARRAY<STRUCT<a: INT, b: DATE>>, " +
        "m MAP<STRING, STRUCT<a: INT, b: STRING>>"
    )
    assert(NewFields.between("t", own, to) == Seq(
      "t.s.`b c`" -> IntegerType,
      "t.l.element.b" -> DateType,
      "t.m.value.b" -> StringType
    ))
  }
}
