package hudilite.format

import org.scalatest.funsuite.AnyFunSuite

class AvroNamesSuite extends AnyFunSuite {

  test("a table's record is named as stock Hudi names it") {
    Seq("t" -> "t", "my-table" -> "my__table", "1abc" -> "__abc", "a.b" -> "a__b")
      .concat(Seq("été" -> "__t__"))
      .concat(Seq("_x" -> "_x", "-x" -> "__x", "a--b" -> "a____b", "a\ud83d\ude00b" -> "a__b"))
      .foreach { case (table, clean) =>
        assert(AvroNames.tableRecordName(table) == s"${clean}_record")
        assert(AvroNames.namespace(table) == s"hoodie.$clean")
      }
  }

  test("column names are Avro's") {
    assert(Seq("a", "_a", "A9_").forall(AvroNames.isValid))
    assert(!Seq("", "9a", "a-b", "a.b", "é", "a b").exists(AvroNames.isValid))
  }

  test("meta columns are known by name without case") {
    assert(MetaFields.all.forall(MetaFields.contains) && MetaFields.contains("_HOODIE_RECORD_KEY"))
    assert(!MetaFields.contains("id"))
  }
}
