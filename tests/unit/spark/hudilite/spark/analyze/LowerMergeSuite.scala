package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.Project

import hudilite.spark.SparkSuite
import hudilite.spark.plan.{
  Clause,
  DeleteClause,
  HudiliteWrite,
  InsertClause,
  MergeSpec,
  UpdateClause
}

class LowerMergeSuite extends SparkSuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    sql("""CREATE TABLE t (id INT PRIMARY KEY, v STRING, n BIGINT DEFAULT 5, p STRING)
      USING hudilite PARTITIONED BY (p) WITH BUCKETS 4""")
    sql("CREATE TABLE small (id TINYINT, day DATE, v INT, PRIMARY KEY (id, day)) " +
      "USING hudilite WITH BUCKETS 2")
    sql("CREATE TABLE nested (id INT PRIMARY KEY, s STRUCT<a: INT, b: STRING>, c VARCHAR(3)) " +
      "USING hudilite WITH BUCKETS 2")
    sql("CREATE TEMPORARY VIEW s AS SELECT * FROM VALUES (1, 'a', 1L, 'x', 9) AS (id, v, n, p, z)")
    sql("CREATE TEMPORARY VIEW wide AS SELECT id, 'v' AS v FROM range(3)")
    ()
  }

  override protected def afterAll(): Unit = {
    Seq("s", "wide").foreach(view => spark.catalog.dropTempView(view))
    super.afterAll()
  }

  private def merge(clauses: String, on: String = "t.id = s.id", source: String = "s"): String =
    s"MERGE INTO t USING $source ON $on $clauses"

  private def write(text: String): HudiliteWrite = analyzed(text) match {
    case write: HudiliteWrite => write
    case other => fail(other.toString)
  }

  private def spec(text: String): MergeSpec = write(text).spec

  private def valuesOf(clauses: Seq[Clause]): Seq[Expression] = clauses match {
    case Seq(UpdateClause(None, values)) => values
    case Seq(InsertClause(None, values, false, false)) => values
    case other => fail(other.toString)
  }

  private val upsert = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"

  test("update and insert of whole rows read the needed source columns only") {
    val plan = write(merge(upsert))
    assert(plan.resolved && plan.missingInput.isEmpty)
    assert(plan.query.isInstanceOf[Project])
    assert(plan.query.output.map(_.name) == Seq("id", "v", "n", "p"))
    assert(plan.output.map(_.name) ==
      Seq("num_affected_rows", "num_updated_rows", "num_deleted_rows", "num_inserted_rows"))
    assert(plan.spec.keyColumns.map(_.name) == Seq("id"))
    assert(plan.spec.sourceKey.map(_.sql) == Seq("s.id"))
    assert(plan.spec.sourcePartition.isEmpty)
    assert(plan.spec.operation == "UPSERT" && !plan.spec.matchIsError)
    assert(plan.spec.movesPartition, "the source may say another partition")
    val values = valuesOf(plan.spec.matched)
    assert(values.map(_.sql) == Seq("s.id", "s.v", "s.n", "s.p"))
  }

  test("ON that names the partition pins it") {
    val pinned = spec(merge(upsert, "s.p = t.p AND t.id = s.id"))
    assert(pinned.sourcePartition.map(_.map(_.sql)).contains(Seq("s.p")))
    assert(!pinned.movesPartition)
    assert(spec(merge(upsert, "t.id <=> s.id AND t.p <=> s.p")).sourcePartition.isDefined)
    val moved = merge("WHEN MATCHED THEN UPDATE SET p = 'y'", "t.id = s.id AND t.p = s.p")
    assert(spec(moved).movesPartition)
    val insertMoves = merge(
      "WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, s.v)",
      "t.id = s.id AND t.p = s.p"
    )
    assert(spec(insertMoves).movesPartition)
    assert(!spec(merge("WHEN MATCHED THEN UPDATE SET v = s.v")).movesPartition)
    val bySource = "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET p = 'gone'"
    assert(spec(merge(bySource)).movesPartition)
    assert(spec(merge(upsert, "t.id = s.id AND t.p = 'x'")).movesPartition)
  }

  test("clauses keep their order and conditions") {
    val found = spec(merge("""
      WHEN MATCHED AND s.z = 1 THEN DELETE
      WHEN MATCHED AND t.n > s.n THEN UPDATE SET n = t.n + s.n
      WHEN MATCHED THEN UPDATE SET v = upper(s.v)
      WHEN NOT MATCHED AND s.z > 3 THEN INSERT (id, v) VALUES (s.id, 'new')
      WHEN NOT MATCHED BY SOURCE AND t.n < 0 THEN DELETE
      WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = n - 1"""))
    assert(found.matched.map(_.getClass) ==
      Seq(classOf[DeleteClause], classOf[UpdateClause], classOf[UpdateClause]))
    assert(found.matched.map(_.condition.isDefined) == Seq(true, true, false))
    assert(found.notMatchedBySource.map(_.condition.isDefined) == Seq(true, false))
    assert(found.children.size == 1 + 3 + 1 + 2)
  }

  test("a partial insert takes defaults and nulls") {
    val values =
      valuesOf(spec(merge("WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)")).notMatched)
    assert(values.map(_.sql) == Seq("s.id", "CAST(NULL AS STRING)", "5L", "CAST(NULL AS STRING)") ||
      values.drop(2).head.foldable && values.drop(2).head.eval() == 5L)
  }

  test("a wider integer source is narrowed to the key, and matches nothing where it does not fit") {
    val found = spec(merge(
      "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)",
      source = "wide AS s"
    ))
    assert(found.sourceKey.map(_.sql) == Seq("TRY_CAST(s.id AS INT)"))
  }

  test("composite keys of other types") {
    val found = spec("MERGE INTO small USING (SELECT 1 AS i, DATE'2024-01-01' AS d) s " +
      "ON small.day = s.d AND s.i = small.id WHEN MATCHED THEN DELETE")
    assert(found.keyColumns.map(_.name) == Seq("id", "day"))
    assert(found.sourceKey.map(_.dataType) == found.keyColumns.map(_.dataType))
  }

  test("nested fields and limited texts") {
    val found = spec("MERGE INTO nested t USING s ON t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET s.a = s.z, c = s.v".replace("s.a", "t.s.a"))
    val values = valuesOf(found.matched)
    assert(values(1).sql.toLowerCase.contains("named_struct"))
    assert(values(2).sql.toLowerCase.contains("varchar"))
  }

  test("the target may be its own source") {
    val found = spec("MERGE INTO t USING (SELECT id, max(v) AS v FROM t GROUP BY id) s " +
      "ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v")
    assert(found.matched.size == 1)
  }

  test("a source with a common table expression") {
    assert(spec("WITH c AS (SELECT * FROM s) MERGE INTO t USING c ON t.id = c.id " + upsert)
      .matched.size == 1)
  }

  test("ON that leaves the key open is joined") {
    Seq(
      "t.v = s.v",
      "t.id = s.id OR t.id = s.z",
      "t.id > s.id",
      "t.id + 1 = s.id",
      "CAST(t.id AS STRING) = s.v",
      "t.id = t.n",
      "true"
    ).foreach { on =>
      val clauses = "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
      assert(spec(merge(clauses, on)).joined.nonEmpty, on)
    }
  }

  test("what ON says beside the key is asked of each pair") {
    Seq(
      "t.id = s.id AND t.v = s.v",
      "t.id = s.id AND s.z = 1",
      "t.id = s.id AND t.id = s.z"
    ).foreach { on =>
      val lowered = spec(merge(upsert, on))
      assert(lowered.joined.isEmpty && lowered.residual.nonEmpty, on)
    }
  }

  // F81
  test("an update that changes the key finds its rows by a join") {
    Seq(
      "WHEN MATCHED THEN UPDATE SET id = s.z",
      "WHEN MATCHED THEN UPDATE SET id = t.id + 1",
      "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = 7"
    ).foreach { clause =>
      assert(spec(merge(clause)).joined.nonEmpty, clause)
    }
    Seq("id = s.id", "id = t.id").foreach { set =>
      assert(spec(merge(s"WHEN MATCHED THEN UPDATE SET $set")).matched.size == 1)
    }
  }

  test("an insert of another key than ON looks for is joined") {
    Seq(
      "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.z)",
      "WHEN NOT MATCHED THEN INSERT (id) VALUES (7)"
    ).foreach(clause => assert(spec(merge(clause)).joined.nonEmpty, clause))
  }

  test("an insert without the key is refused by Spark") {
    assert(fault(analyzed(merge("WHEN NOT MATCHED THEN INSERT (v) VALUES (s.v)")))._1
      .startsWith("DATATYPE_MISMATCH"))
  }

  test("a value that does not fit its column is refused in analysis") {
    Seq(
      "WHEN MATCHED THEN UPDATE SET n = s.v",
      "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.v)"
    ).foreach { clause =>
      assertFault("HUDILITE_UNSUPPORTED_CLAUSE")(analyzed(merge(clause)))
    }
  }

  test("what a clause cannot hold is refused") {
    Seq(
      "WHEN NOT MATCHED BY SOURCE AND t.n IN (SELECT n FROM s) THEN DELETE",
      "WHEN NOT MATCHED BY SOURCE AND rand() > 0.5 THEN DELETE",
      "WHEN NOT MATCHED BY SOURCE AND t._hoodie_commit_time > '0' THEN DELETE"
    ).foreach { clause =>
      assertFault("HUDILITE_UNSUPPORTED_CLAUSE")(analyzed(merge(clause)))
    }
  }

  test("an evolving merge with nothing new is an ordinary one") {
    val evolving = merge(upsert).replace("MERGE INTO", "MERGE WITH SCHEMA EVOLUTION INTO")
    assert(write(evolving).spec.matched.size == write(merge(upsert)).spec.matched.size)
  }

  test("functions of the statement's time are replaced before the plan runs") {
    val plan = write(merge("WHEN MATCHED THEN UPDATE SET v = string(current_timestamp())"))
    val optimized = spark.sessionState.optimizer.execute(plan)
    assert(!optimized.expressions.exists(_.exists(_.prettyName == "current_timestamp")))
  }

  test("a session setting that contradicts the table is refused") {
    spark.conf.set("hoodie.bucket.index.num.buckets", "8")
    try
      assertFault("HUDILITE_PROPERTY_CONFLICT", "declared" -> "4", "asked" -> "8") {
        analyzed(merge(upsert))
      }
    finally spark.conf.unset("hoodie.bucket.index.num.buckets")
  }
}
