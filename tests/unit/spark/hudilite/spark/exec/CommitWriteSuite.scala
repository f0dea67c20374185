package hudilite.spark.exec

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.{CommandExecutionMode, SparkPlan}

import hudilite.spark.SparkSuite

class CommitWriteSuite extends SparkSuite {

  private val indexes = Seq("buckets" -> "WITH BUCKETS 2", "bloom" -> "")

  private def planned(text: String): SparkPlan = {
    val parsed = spark.sessionState.sqlParser.parsePlan(text)
    spark.sessionState.executePlan(parsed, CommandExecutionMode.SKIP).executedPlan
  }

  private def table(name: String, clauses: String): String = {
    sql(s"CREATE TABLE $name (id BIGINT, n INT, PRIMARY KEY (id)) USING hudilite $clauses")
    sql(s"INSERT INTO $name SELECT id, 0 FROM range(20)")
    name
  }

  private def merge(table: String, source: String): String =
    s"MERGE INTO $table t USING ($source) s ON t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET n = t.n + 1 " +
      "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 0)"

  private def files(table: String): Seq[String] =
    filesBelow(folder.resolve("db").resolve(table))

  private def rows(query: String): Seq[Row] = sql(query).collect().toSeq

  indexes.foreach { case (index, clauses) =>
    test(s"a plan that is explained and compared leaves no trace, and runs afterwards ($index)") {
      val t = table(s"explained_$index", clauses)
      val before = files(t)
      val plan = planned(merge(t, "SELECT id FROM range(15, 25)"))
      val text = plan.treeString
      assert(text.contains("MergeFileGroups") && plan.canonicalized.treeString.nonEmpty)
      assert(files(t) == before)
      assert(plan.executeCollect().map(_.getLong(0)).toSeq == Seq(10L))
      assert(rows(s"SELECT n, count(*) FROM $t GROUP BY n ORDER BY n") ==
        Seq(Row(0, 20L), Row(1, 5L)))
    }

    test(s"a copy of a plan that has been executed is an execution of its own ($index)") {
      val t = table(s"twice_$index", clauses)
      val plan = planned(merge(t, "SELECT id FROM range(20)"))
      plan.executeCollect()
      plan.executeCollect() // the result is kept
      assert(rows(s"SELECT DISTINCT n FROM $t") == Seq(Row(1)))
      val again = plan match {
        case commit: CommitWriteExec => commit.copy(output = commit.output)
        case other => fail(s"no commit but ${other.nodeName}")
      }
      assert(again.executeCollect().map(_.getLong(0)).toSeq == Seq(20L))
      assert(rows(s"SELECT n, count(*) FROM $t GROUP BY n") == Seq(Row(2, 20L)))
    }

    test(s"file groups are merged only below a commit ($index)") {
      val t = table(s"alone_$index", clauses)
      val before = files(t)
      val plan = planned(merge(t, "SELECT id FROM range(20)"))
      val failed = intercept[Exception](plan.children.foreach(_.executeCollect()))
      assert(Iterator.iterate(Option[Throwable](failed))(_.flatMap(e => Option(e.getCause)))
        .takeWhile(_.nonEmpty).flatten
        .exists(e => s"${e.getMessage}".contains("merged only below a commit")))
      assert(files(t) == before)
    }
  }

  test("rows that are located are not kept in memory after a statement, whether it fails or not") {
    val t = table("located", "")
    val before = spark.sparkContext.getPersistentRDDs.keySet
    sql(merge(t, "SELECT id FROM range(10, 30)"))
    assert(spark.sparkContext.getPersistentRDDs.keySet == before)
    assertFault("HUDILITE_MERGE_CARDINALITY")(
      sql(merge(t, "SELECT id FROM range(10) UNION ALL SELECT id FROM range(10)"))
    )
    assert(spark.sparkContext.getPersistentRDDs.keySet == before)
    assert(rows(s"SELECT sum(n) FROM $t") == Seq(Row(10L)))
  }
}
