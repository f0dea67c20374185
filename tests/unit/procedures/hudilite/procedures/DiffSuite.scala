package hudilite.procedures

import scala.jdk.CollectionConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.Row

import hudilite.spark.SparkSuite

/** What a comparison reads, and what it shuffles. */
class DiffSuite extends SparkSuite {
  import DiffSuite.Work

  private def workOf(call: String): Work = {
    val ended = new java.util.concurrent.ConcurrentLinkedQueue[SparkListenerTaskEnd]
    val context = spark.sparkContext
    val group = s"diff ${System.nanoTime}"
    val listener = new SparkListener {
      override def onTaskEnd(end: SparkListenerTaskEnd): Unit = ended.add(end): Unit
    }
    context.addSparkListener(listener)
    try {
      context.setJobGroup(group, call)
      sql(call).collect(): Unit
      val stages = context.statusTracker.getJobIdsForGroup(group).toSeq
        .flatMap(context.statusTracker.getJobInfo).flatMap(_.stageIds).distinct
      val tasks = stages.flatMap(context.statusTracker.getStageInfo).map(_.numTasks).sum
      val deadline = System.currentTimeMillis + 10000
      while (ended.size < tasks && System.currentTimeMillis < deadline) Thread.sleep(10)
      val metrics =
        ended.asScala.toSeq.filter(end => stages.contains(end.stageId)).map(_.taskMetrics)
      Work(tasks, metrics.map(_.shuffleWriteMetrics.bytesWritten).sum)
    } finally {
      context.clearJobGroup()
      context.removeSparkListener(listener)
    }
  }

  private def create(table: String, layout: String): Unit = {
    sql(
      s"CREATE TABLE $table (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite $layout"
    )
    sql(s"INSERT INTO $table SELECT id, 'v', concat('p', id % 3) FROM range(300)"): Unit
  }

  test("tables that are bucketed alike are compared without a shuffle, one task for each bucket") {
    Seq("plain" -> "WITH BUCKETS 4", "parts" -> "PARTITIONED BY (p) WITH BUCKETS 4").foreach {
      case (name, layout) =>
        Seq("a", "b").foreach(table => create(s"${name}_$table", layout))
        sql(s"UPDATE ${name}_a SET v = 'w' WHERE id = 7")
        Seq("", ", rows => true").foreach { more =>
          val work = workOf(s"CALL diff(table => '${name}_a', other => '${name}_b'$more)")
          assert(work.tasks == (if (name == "plain") 4 else 12), work)
          assert(work.shuffled == 0, work)
        }
    }
    val counts = sql("CALL diff(table => 'parts_a', other => 'parts_b')").collect().toSeq
    assert(counts == Seq(Row("p=p1", 0L, 1L, 0L)))
  }

  test("of two versions only the buckets are read that have changed") {
    create("versions", "PARTITIONED BY (p) WITH BUCKETS 4")
    sql("UPDATE versions SET v = 'w' WHERE id = 7")
    val work = workOf("CALL diff(table => 'versions', version => '1')")
    assert(work.tasks == 1 && work.shuffled == 0, work)
  }

  test("a condition on a partition or on the key leaves the other buckets out") {
    Seq("here", "there").foreach(create(_, "PARTITIONED BY (p) WITH BUCKETS 4"))
    def tasks(where: String) =
      workOf(s"""CALL diff(table => 'here', other => 'there', where => "$where")""").tasks
    assert(tasks("p = 'p1'") == 4)
    assert(tasks("id = 7") == 3)
    assert(tasks("p = 'p1' AND id = 7 AND v = 'w'") == 1)
  }

  test("tables with other numbers of buckets are joined, which shuffles") {
    create("four", "WITH BUCKETS 4")
    create("three", "WITH BUCKETS 3")
    sql("DELETE FROM three WHERE id = 7")
    val call = "CALL diff(table => 'four', other => 'three')"
    assert(workOf(call).shuffled > 0)
    assert(sql(call).collect().toSeq == Seq(Row("", 1L, 0L, 0L)))
  }

  test("a table whose buckets are on another column of the key is joined") {
    Seq("one" -> "a", "two" -> "b").foreach { case (table, hashed) =>
      sql(s"CREATE TABLE on_$table (a INT, b INT, PRIMARY KEY (a, b)) USING hudilite " +
        s"WITH BUCKETS 4 ON ($hashed)")
      sql(s"INSERT INTO on_$table SELECT id, id * 7 FROM range(100)")
    }
    assert(sql("CALL diff(table => 'on_one', other => 'on_two')").collect().isEmpty)
  }
}

private object DiffSuite {

  /** Work of the tasks of a statement.
    * @param shuffled bytes that they wrote for other tasks */
  final case class Work(tasks: Int, shuffled: Long)
}
