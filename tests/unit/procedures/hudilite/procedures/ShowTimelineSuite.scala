package hudilite.procedures

import java.nio.file.{Files, Path, Paths}

import hudilite.spark.SparkSuite

class ShowTimelineSuite extends SparkSuite {

  test("the latest instant comes first, with what it wrote") {
    val started = System.currentTimeMillis()
    create("shown")
    sql("INSERT INTO shown VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    sql(
      "MERGE INTO shown t USING (SELECT 1 AS id UNION ALL SELECT 2) s ON t.id = s.id " +
        "WHEN MATCHED AND t.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'x'"
    )
    val shown = sql("CALL show_timeline(table => 'shown')").collect().toSeq
    assert(shown.map(_.getAs[String]("operation")) == Seq("UPSERT", "INSERT"))
    assert(shown.map(_.getAs[Long]("commit_number")) == Seq(2L, 1L))
    assert(shown.map(_.getAs[Long]("rows_inserted")) == Seq(0L, 3L))
    assert(shown.map(_.getAs[Long]("rows_updated")) == Seq(1L, 0L))
    assert(shown.map(_.getAs[Long]("rows_deleted")) == Seq(1L, 0L))
    assert(shown.forall(_.getAs[Long]("bytes_written") > 0))
    val times = shown.reverse.flatMap(row =>
      Seq("requested_time", "completed_time").map(row.getAs[java.sql.Timestamp](_).getTime)
    )
    assert(times == times.sorted && times.head >= started - 1000)
    assert(sql("CALL show_timeline('shown', 1)").collect().toSeq == shown.take(1))
  }

  test("a pending instant and another action show their state, and no counts") {
    create("pending")
    sql("INSERT INTO pending VALUES (1, 'a')")
    val timeline = folder("pending").resolve(".hoodie")
    Files.createFile(timeline.resolve("20990101000000000.commit.requested"))
    Files.createFile(timeline.resolve("20990101000000000.inflight"))
    Files.createFile(timeline.resolve("20990101000000001.clean.requested"))
    val shown = sql("CALL show_timeline('pending')").collect().toSeq
    val states = shown.map(row => (row.getString(1), row.getString(2)))
    assert(
      states == Seq("clean" -> "REQUESTED", "commit" -> "INFLIGHT", "commit" -> "COMPLETED")
    )
    assert(shown.take(2).forall(row => (row.isNullAt(3) && row.isNullAt(6) && row.isNullAt(7))))
  }

  test("a commit that is not published yet is completed, and showing it publishes nothing") {
    create("unpublished")
    sql("INSERT INTO unpublished VALUES (1, 'a')")
    val timeline = folder("unpublished").resolve(".hoodie")
    val instant = sql("CALL show_timeline('unpublished')").head().getString(0)
    val completed = timeline.resolve(s"$instant.commit")
    Files.delete(completed)
    val shown = sql("CALL show_timeline('unpublished')").collect().toSeq
    assert(shown.map(_.getString(2)) == Seq("COMPLETED"))
    assert(shown.head.getAs[Long]("commit_number") == 1L)
    assert(shown.head.getAs[Long]("rows_inserted") == 1L && shown.head.isNullAt(6))
    assert(!Files.exists(completed))
  }

  private def create(table: String): Unit =
    sql(s"CREATE TABLE $table (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")

  private def folder(table: String): Path =
    Paths.get(
      java.net.URI.create(
        sql(s"DESCRIBE EXTENDED $table").where("col_name = 'Location'").head().getString(1)
      )
    )
}
