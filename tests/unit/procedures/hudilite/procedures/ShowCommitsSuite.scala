package hudilite.procedures

import hudilite.spark.SparkSuite

class ShowCommitsSuite extends SparkSuite {

  test("the latest commit comes first and tells what it did") {
    sql(
      "CREATE TABLE shown (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
    )
    sql("INSERT INTO shown VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    sql(
      "MERGE INTO shown t USING (SELECT 1 AS id UNION ALL SELECT 2) s ON t.id = s.id " +
        "WHEN MATCHED AND t.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'x'"
    )
    val commits = sql("CALL show_commits(table => 'shown')").collect().toSeq
    assert(commits.map(_.getString(1)) == Seq("UPSERT", "INSERT"))
    assert(commits.map(_.getLong(4)) == Seq(0L, 3L))
    assert(commits.map(_.getLong(5)) == Seq(1L, 0L))
    assert(commits.map(_.getLong(6)) == Seq(1L, 0L))
    assert(commits.forall(_.getLong(7) > 0))
    val last = sql("CALL show_commits('shown', 1)").collect().toSeq
    assert(last == commits.take(1))
  }
}
