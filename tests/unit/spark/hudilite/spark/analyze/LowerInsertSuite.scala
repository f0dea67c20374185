package hudilite.spark.analyze

import hudilite.spark.SparkSuite
import hudilite.spark.plan.{HudiliteWrite, InsertClause}

class LowerInsertSuite extends SparkSuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    sql("""CREATE TABLE t (id INT PRIMARY KEY, v STRING NOT NULL, n BIGINT DEFAULT 5, p DATE)
      USING hudilite PARTITIONED BY (p) WITH BUCKETS 4""")
    ()
  }

  private def write(text: String): HudiliteWrite = analyzed(text) match {
    case write: HudiliteWrite => write
    case other => fail(other.toString)
  }

  test("an insert has one clause, pins its partition and makes a match an error") {
    val plan = write("INSERT INTO t VALUES (1, 'a', 2, DATE'2024-01-01')")
    assert(plan.resolved && plan.output.isEmpty)
    assert(plan.spec.operation == "INSERT" && plan.spec.matchIsError)
    assert(!plan.spec.movesPartition && plan.spec.matched.isEmpty)
    assert(plan.spec.notMatched == Seq(InsertClause(None, plan.query.output)))
    assert(plan.spec.sourceKey == plan.query.output.take(1))
    assert(plan.spec.sourcePartition.contains(plan.query.output.drop(3)))
  }

  test("every way to name columns ends in the table's order and types") {
    Seq(
      "INSERT INTO t SELECT id, 'v', id, null FROM range(3)",
      "INSERT INTO t (v, id) VALUES ('a', 1)",
      "INSERT INTO t BY NAME SELECT 'a' AS v, 1 AS id",
      "INSERT INTO t PARTITION (p = '2024-01-01') VALUES (1, 'a', 2)",
      "INSERT INTO t PARTITION (p = '2024-01-01') (id, v) VALUES (1, 'a')",
      "INSERT INTO t TABLE t",
      "FROM t INSERT INTO t SELECT *"
    ).foreach { text =>
      val plan = write(text)
      assert(plan.query.output.map(_.dataType) == plan.table.output.map(_.dataType), text)
    }
  }

  test("a null key is left to the write, and the source has checks of other NOT NULL columns") {
    val text = write("INSERT INTO t SELECT k, w, 1, null FROM VALUES (1, 'a') AS (k, w)")
    assert(write("INSERT INTO t VALUES (null, 'a', 1, null)").query.output.head.nullable)
    assert(text.spec.notMatched.head.children.size == 4)
    val nulls = write("INSERT INTO t SELECT id, CAST(null AS STRING), 1, null FROM t")
    assert(nulls.query.toString.contains("hudilite_required"))
  }

  test("values that do not fit are refused in analysis") {
    assert(fault(analyzed("INSERT INTO t VALUES (1, 'a', 'b')"))._1.nonEmpty)
    assert(fault(analyzed("INSERT INTO t VALUES (1, 'a', 'b', null, 2)"))._1
      == "HUDILITE_COLUMN_UNKNOWN")
    assert(fault(analyzed("INSERT INTO t SELECT DATE'2024-01-01', 'a', 1, null"))._1
      .startsWith("INCOMPATIBLE_DATA_FOR_TABLE"))
    assert(fault(analyzed("INSERT INTO t (v) VALUES ('a')"))._1.nonEmpty)
  }
}
