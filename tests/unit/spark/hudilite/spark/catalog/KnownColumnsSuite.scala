package hudilite.spark.catalog

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/** Columns of tables that were opened before. */
class KnownColumnsSuite extends AnyFunSuite {
  private val (one, other) = (new Path("file:/known/one"), new Path("file:/known/other"))

  test("columns are read again for other facts and for another table alone") {
    var read = Vector.empty[String]
    def columns(table: Path, facts: Any*)(name: String) = KnownColumns.of(table, facts) {
      read :+= name
      new StructType().add(name, "int")
    }.fieldNames.toSeq
    assert(columns(one, Some("x"), None)("a") == Seq("a"))
    assert(columns(one, Some("x"), None)("b") == Seq("a"))
    assert(columns(other, Some("x"), None)("c") == Seq("c"))
    assert(columns(one, Some("x"), Some("y"))("d") == Seq("d"))
    assert(columns(one, Some("x"), None)("e") == Seq("e"))
    assert(columns(other, Some("x"), None)("f") == Seq("c"))
    assert(read == Vector("a", "c", "d", "e"))
  }

  test("columns that cannot be read are read the next time") {
    val table = new Path("file:/known/damaged")
    intercept[IllegalArgumentException](KnownColumns.of(table, Nil)(
      throw new IllegalArgumentException
    ))
    assert(KnownColumns.of(table, Nil)(new StructType()).isEmpty)
  }
}
