package hudilite.spark.parse

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

class BucketsClauseSuite extends AnyFunSuite {

  private def found(sqlText: String): Seq[(Int, Seq[String])] =
    BucketsClause.in(sqlText).map(clause => (clause.numBuckets, clause.columns))

  private def invalidCount(sqlText: String): (String, Int, Int) = {
    val thrown = intercept[HudiliteParseException](BucketsClause.in(sqlText))
    assert(thrown.getCondition == "HUDILITE_BUCKET_COUNT_INVALID")
    (thrown.messageParameters("value"), thrown.line.get, thrown.startPosition.get)
  }

  test("the clause stands at any place among the clauses") {
    val clauses = Seq(
      "PARTITIONED BY (p)",
      "TBLPROPERTIES (primaryKey = 'id')",
      "LOCATION '/tmp/t'",
      "COMMENT 'with buckets 9'"
    )
    (0 to clauses.size).foreach { at =>
      val text = clauses.patch(at, Seq("with Buckets 8"), 0).mkString(" ")
      assert(found(s"CREATE TABLE t (id INT) USING hudilite $text") == Seq((8, Nil)), text)
    }
  }

  test("hash columns may be keywords and quoted names") {
    assert(
      found("CREATE TABLE t (id INT) USING hudilite WITH BUCKETS 4 ON (month, `a``b`, Id)") ==
        Seq((4, Seq("month", "a`b", "Id")))
    )
  }

  test("a common table expression named buckets stays one") {
    val queries = Seq(
      "CREATE TABLE t USING hudilite WITH buckets AS (SELECT 1) SELECT * FROM buckets",
      "CREATE TABLE t USING hudilite AS WITH buckets (a) AS (SELECT 1) SELECT * FROM buckets",
      "WITH buckets AS (SELECT 1) SELECT * FROM buckets",
      "CREATE TABLE t USING hudilite WITH buckets MAX RECURSION LEVEL 4 AS (SELECT 1) SELECT 1",
      "SELECT 'create table t with buckets 4'",
      "CREATE TABLE t (id INT COMMENT 'with buckets 4') /* WITH BUCKETS 4 */ -- WITH BUCKETS 4"
    )
    queries.foreach(text => assert(found(text).isEmpty, text))
  }

  test("a clause before AS belongs to the table, one inside the query does not") {
    assert(found("CREATE TABLE t USING hudilite WITH BUCKETS 2 AS SELECT 1").size == 1)
    assert(found("CREATE TABLE t USING hudilite AS SELECT 1 WITH BUCKETS 2").isEmpty)
    assert(found("INSERT INTO t WITH BUCKETS 2").isEmpty)
  }

  test("each statement of a script has its own clause") {
    val text = """BEGIN
      CREATE TABLE a (id INT) USING hudilite WITH BUCKETS 1;
      IF 1 = 1 THEN CREATE TABLE b (id INT) USING hudilite WITH BUCKETS 2 ON (id); END IF;
      END"""
    assert(found(text) == Seq((1, Nil), (2, Seq("id"))))
  }

  // F87
  test("a count that is no whole number from 1 to 100000 is refused with its place") {
    val create = "CREATE TABLE t (id INT) USING hudilite\nWITH BUCKETS "
    val at = "WITH BUCKETS ".length
    Seq("0", "100001", "99999999999999999999", "4.5", "four", "'4'", "4L", "1e3").foreach { n =>
      assert(invalidCount(create + n) == ((n, 2, at)), n)
    }
    assert(invalidCount(create + "-4") == (("-4", 2, at)))
    assert(invalidCount(create + "- 4 COMMENT 'x'") == (("-4", 2, at)))
    assert(found(create + "100000") == Seq((100000, Nil)))
  }

  test("a missing count is refused") {
    assert(invalidCount("CREATE TABLE t (id INT) USING hudilite WITH BUCKETS")._1 == "")
  }

  test("hash columns without parentheses or with a path are refused") {
    Seq("ON id", "ON ()", "ON (a.b)", "ON (a b)", "ON (a,)", "ON (a").foreach { on =>
      val thrown = intercept[HudiliteParseException] {
        BucketsClause.in(s"CREATE TABLE t (id INT) USING hudilite WITH BUCKETS 4 $on")
      }
      assert(thrown.getCondition == "HUDILITE_BUCKET_COLUMN_INVALID", on)
    }
  }

  test("a clause given twice is refused") {
    val thrown = intercept[AnalysisException] {
      BucketsClause.in("CREATE TABLE t (id INT) USING hudilite WITH BUCKETS 4 WITH BUCKETS 4")
    }
    assert(thrown.getCondition == "DUPLICATE_CLAUSES")
  }

  test("blanking keeps every other character in its place") {
    val text = "CREATE TABLE t (id INT COMMENT '\uD83D\uDE00') USING hudilite WITH BUCKETS 4\n" +
      "ON (id) COMMENT 'x'"
    val blanked = ClauseText.blank(text, BucketsClause.in(text))
    assert(blanked.length == text.length)
    assert(blanked.indexOf("COMMENT 'x'") == text.indexOf("COMMENT 'x'"))
    assert(!blanked.contains("BUCKETS") && !blanked.contains("ON"))
    assert(blanked.count(_ == '\n') == 1)
  }
}
