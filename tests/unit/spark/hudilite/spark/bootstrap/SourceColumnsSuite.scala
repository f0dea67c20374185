package hudilite.spark.bootstrap

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

class SourceColumnsSuite extends AnyFunSuite {

  test("columns of both files are kept, nullable where one file lacks them or has nulls") {
    assert(
      merged("id INT NOT NULL, a STRING NOT NULL", "id INT NOT NULL, b DATE NOT NULL") ==
        Right(StructType.fromDDL("id INT NOT NULL, a STRING, b DATE"))
    )
    assert(
      merged("s STRUCT<x: INT>, l ARRAY<INT>", "s STRUCT<x: INT, y: INT>, l ARRAY<INT>") ==
        Right(StructType.fromDDL("s STRUCT<x: INT, y: INT>, l ARRAY<INT>"))
    )
  }

  test("columns of other types, or whose names differ in case alone, are a conflict") {
    assert(
      merged("id INT, s STRUCT<x: INT>", "id INT, s STRUCT<x: STRING>") ==
        Left(SourceColumns.Conflict("column s.x is INT in the first, STRING in the second"))
    )
    assert(
      merged("id INT, a INT", "id INT, A INT") ==
        Left(SourceColumns.Conflict("column a is A in the second"))
    )
  }

  test("partition columns of the folders are no columns of a file, whatever their case") {
    val columns = StructType.fromDDL("id INT, P STRING")
    val found = SourceColumns.ofFiles(columns, StructType.fromDDL("p STRING"))
    assert(found == StructType.fromDDL("id INT"))
  }

  private def merged(first: String, second: String) =
    SourceColumns.merged(StructType.fromDDL(first), StructType.fromDDL(second))
}
