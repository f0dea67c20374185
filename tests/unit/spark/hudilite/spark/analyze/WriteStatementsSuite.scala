package hudilite.spark.analyze

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.{col, expr, lit}

import hudilite.spark.SparkSuite

/** INSERT and MERGE as Spark's statements and DataFrames spell them, run to the end. */
class WriteStatementsSuite extends SparkSuite {

  private def table(name: String, columns: String, clauses: String = "WITH BUCKETS 2"): String = {
    sql(s"CREATE TABLE $name ($columns) USING hudilite $clauses")
    name
  }

  private def rows(query: String): Seq[Row] = sql(query).collect().toSeq

  test("a partial insert and merge fill defaults and nulls") {
    val t = table("defaults", "id INT PRIMARY KEY, v STRING, n BIGINT DEFAULT 5")
    sql(s"INSERT INTO $t (id) VALUES (1)")
    sql(s"INSERT INTO $t VALUES (2, 'b', DEFAULT)")
    sql(s"MERGE INTO $t USING (SELECT 3 AS id) s ON $t.id = s.id " +
      "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, DEFAULT)")
    assert(rows(s"SELECT * FROM $t ORDER BY id") ==
      Seq(Row(1, null, 5L), Row(2, "b", 5L), Row(3, null, 5L)))
  }

  test("a merge answers with its counts") {
    val t = table("counts", "id INT PRIMARY KEY, v STRING")
    sql(s"INSERT INTO $t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    val counts =
      rows(s"""MERGE INTO $t USING (SELECT * FROM VALUES (1, 'x'), (2, null), (9, 'y') AS (id, v)) s
      ON $t.id = s.id
      WHEN MATCHED AND s.v IS NULL THEN DELETE
      WHEN MATCHED THEN UPDATE SET *
      WHEN NOT MATCHED THEN INSERT *
      WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = concat(v, '!')""")
    assert(counts == Seq(Row(4L, 2L, 1L, 1L)))
    assert(rows(s"SELECT * FROM $t ORDER BY id") ==
      Seq(Row(1, "x"), Row(3, "c!"), Row(9, "y")))
  }

  test("a wider integer source matches what fits and nothing else") {
    val t = table("narrow", "id INT PRIMARY KEY, v STRING")
    sql(s"INSERT INTO $t VALUES (1, 'a')")
    sql(s"MERGE INTO $t USING (SELECT * FROM VALUES (1L, 'x'), " +
      s"(4294967297L, 'y') AS (id, v)) s ON $t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET v = s.v")
    assert(rows(s"SELECT * FROM $t") == Seq(Row(1, "x")))
    assert(fault(sql(s"MERGE INTO $t USING (SELECT 4294967297L AS id, 'y' AS v) s " +
      s"ON $t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"))
      ._1.nonEmpty)
    assert(rows(s"SELECT * FROM $t") == Seq(Row(1, "x")))
  }

  // F76, F77
  test("null and duplicate keys are named") {
    val t = table("faults", "id INT, k STRING, v STRING, PRIMARY KEY (id, k)")
    assertFault("HUDILITE_NULL_KEY")(sql(s"INSERT INTO $t VALUES (1, null, 'a')"))
    assertFault("HUDILITE_DUPLICATE_KEY")(
      sql(s"INSERT INTO $t VALUES (1, 'a', 'a'), (1, 'a', 'b')")
    )
    assert(rows(s"SELECT * FROM $t").isEmpty)
  }

  test("limited texts are checked when they are written") {
    val t = table("limited", "id INT PRIMARY KEY, v VARCHAR(2) DEFAULT 'd', c CHAR(3) DEFAULT 'e'")
    sql(s"INSERT INTO $t VALUES (1, 'ab', 'x')")
    assert(rows(s"SELECT v, c, length(c) FROM $t") == Seq(Row("ab", "x  ", 3)))
    sql(s"INSERT INTO $t (id) VALUES (3)")
    assert(rows(s"SELECT v, c FROM $t WHERE id = 3") == Seq(Row("d", "e  ")))
    assert(fault(sql(s"INSERT INTO $t VALUES (2, 'abc', 'x')"))._1 == "EXCEED_LIMIT_LENGTH")
    assert(fault(sql(s"MERGE INTO $t USING (SELECT 1 AS id, 'abc' AS v) s ON $t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET v = s.v"))
      ._1 == "EXCEED_LIMIT_LENGTH")
  }

  test("a null in a NOT NULL column is refused") {
    val t = table("required", "id INT PRIMARY KEY, v STRING NOT NULL")
    assert(fault(sql(s"INSERT INTO $t SELECT 1, string(null)"))._1 == "HUDILITE_NULL_VALUE")
    assert(rows(s"SELECT * FROM $t").isEmpty)
  }

  test("DataFrames write as statements do") {
    val t = table("frames", "id BIGINT PRIMARY KEY, v STRING")
    val frame = spark.range(2).select(col("id"), lit("a").as("v"))
    frame.writeTo(t).append()
    frame.select(col("id") + 10, col("v")).write.insertInto(t)
    frame.select(lit("b").as("v"), (col("id") + 20).as("id")).write.format("hudilite")
      .mode("append").saveAsTable(t)
    frame.as("s").mergeInto(t, expr(s"$t.id = s.id")).whenMatched().delete().merge()
    assert(rows(s"SELECT * FROM $t ORDER BY id") ==
      Seq(Row(10, "a"), Row(11, "a"), Row(20, "b"), Row(21, "b")))
  }

  // F28
  test("a kept DataFrame and a cached table see later commits") {
    val t = table("kept", "id INT PRIMARY KEY, v STRING")
    val kept = spark.table(t)
    assert(kept.count() == 0)
    sql(s"INSERT INTO $t VALUES (1, 'a')")
    assert(kept.count() == 1)
    sql(s"CACHE TABLE $t")
    sql(s"INSERT INTO $t VALUES (2, 'a')")
    assert(rows(s"SELECT * FROM $t").size == 2)
    sql(s"UNCACHE TABLE $t")
  }

  test("small integers keep their types and nested values their fields") {
    val t = table("nested_rows",
      "id SMALLINT PRIMARY KEY, b TINYINT, s STRUCT<a: INT, b: STRING>, " +
        "l ARRAY<STRUCT<x: DATE>>, m MAP<STRING, DECIMAL(5, 2)>")
    sql(s"INSERT INTO $t VALUES (1, -128, struct(1, 'x'), array(struct(DATE'1969-12-31')), " +
      "map('k', 1.25)), (2, null, null, null, null)")
    sql(s"MERGE INTO $t USING (SELECT 1 AS id) s ON $t.id = s.id WHEN MATCHED THEN UPDATE SET s.b = 'y'"
      .replace("SET s.b", s"SET $t.s.b"))
    assert(spark.table(t).schema.map(_.dataType.simpleString).take(2) == Seq("smallint", "tinyint"))
    assert(rows(s"SELECT s.a, s.b, l[0].x, m['k'], b FROM $t ORDER BY id").head ==
      Row(1, "y", java.sql.Date.valueOf("1969-12-31"), new java.math.BigDecimal("1.25"),
        -128.toByte))
  }

  test("explain shows the write and runs nothing") {
    val t = table("explained", "id INT PRIMARY KEY, v STRING")
    val plan = rows(s"EXPLAIN EXTENDED INSERT INTO $t VALUES (1, 'a')").mkString
    assert(plan.contains("HudiliteWrite") && plan.contains("MergeFileGroups"))
    assert(rows(s"SELECT * FROM $t").isEmpty)
  }
}
