package hudilite.spark.read

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.types.StructType

import hudilite.format.{BaseFileName, LogFileName, TableConfig}
import hudilite.spark.SparkSuite
import hudilite.view.{ChangedFiles, ChangesBetween, FileSlice, LogFile}

/** The plan of changes, and what a task compares. */
class ChangedRowsSuite extends SparkSuite {
  private val columns = StructType.fromDDL("id INT, v STRING")
  private val groups = Seq("a", "b", "c", "d").map(_ + "bcdef01-2b39-4e88-92e9-2aa42bf62b9c-0")

  private def instant(step: Int): String = f"20240101${step}%09d"

  private def slice(fileId: String, step: Int, length: Long = 100L): FileSlice = {
    val name = BaseFileName(fileId, "0-1-0", instant(step))
    FileSlice.ofBase("", fileId, name.instant, new Path(s"file:/t/${name.text}"), length)
  }

  private def logged(fileId: String, logs: Int): FileSlice = slice(fileId, 0).copy(logs =
    (1 to logs).map { n =>
      val name = LogFileName(fileId, instant(0), n, "0-1-0")
      LogFile(new Path(s"file:/t/${name.text}"), 10L, name)
    }
  )

  private def step(n: Int, before: Seq[FileSlice], after: Seq[FileSlice]) = ChangedFiles(
    Seq(instant(n)),
    ChangedFiles.Slices(after, Some(instant(n))),
    ChangedFiles.Slices(before, Some(instant(n - 1))),
    isOfColumns = false,
    keepsRows = false
  )

  private lazy val table = new WrittenTable(spark, folder.resolve("t"), columns, Seq("id"), Nil, 4)

  /** Plan of commits of which each added a log file to all file groups. */
  private def planned(commits: Int): SparkPlan = {
    val steps = (1 to commits).map { n =>
      step(n, groups.map(logged(_, n - 1)), groups.map(logged(_, n)))
    }
    val changes = ChangesBetween(steps, Some(table.snapshot), steps.flatMap(_.instants))
    withSetting("spark.sql.adaptive.enabled", "false") {
      PlanFrame
        .of(spark, ChangedRows.plan(spark, "t", columns, table.snapshot, changes))
        .queryExecution.executedPlan
    }
  }

  private def withSetting[A](key: String, value: String)(body: => A): A = {
    spark.conf.set(key, value)
    try body
    finally spark.conf.unset(key)
  }

  test("the plan of 100 commits has as many operators as that of 20: one scan, no exchange") {
    val (few, many) = (planned(20), planned(100))
    assert(few.collect { case any => any.nodeName } == many.collect { case any => any.nodeName })
    assert(many.collect { case scan: BatchScanExec => scan }.size == 1)
    assert(many.collect { case exchange: Exchange => exchange }.isEmpty, many)
    assert(partitions(many) < 100, "an input partition has more than one commit")
  }

  private def partitions(plan: SparkPlan): Int =
    plan.collectFirst { case scan: BatchScanExec => scan.inputPartitions.size }.getOrElse(0)

  test("a group is compared with itself, and all of a partition in which one was hidden") {
    val kept = step(1, groups.take(2).map(slice(_, 0)), groups.take(3).map(slice(_, 1)))
    val hidden = step(2, groups.take(3).map(slice(_, 1)), groups.takeRight(1).map(slice(_, 2)))
    val compared = ComparedSlices.of(TableConfig(Map.empty), Seq(kept, hidden))
    assert(compared.map(_.number) == compared.indices)
    assert(compared.map(_.slices.map(_.isAfter)) ==
      Seq(Seq(false, true), Seq(false, true), Seq(true), Seq(false, false, false, true)))
    assert(compared.map(_.slices.map(_.seen).distinct.size) == Seq(2, 2, 1, 2))
  }

  test("a bucket that a step has replaced is compared with the new file group of it alone") {
    def inBucket(bucket: Int, step: Int) = slice(f"$bucket%08d-${step}000-4e88-92e9-2aa42bf6", step)
    val replaced = step(1, Seq(inBucket(1, 0), inBucket(2, 0)), Seq(inBucket(2, 1), inBucket(1, 1)))
    val compared = ComparedSlices.of(table.config, Seq(replaced))
    assert(compared.map(_.slices.map(_.isAfter)) == Seq(Seq(false, true), Seq(false, true)))
    assert(compared.map(_.slices.map(_.slice.fileId.take(8)).distinct.size) == Seq(1, 1))
  }

  test("what is compared stays in one task, in the order of the steps, and tasks are level") {
    val all = (0 until 60).map { n =>
      ComparedSlices(n, Seq(instant(n)), Seq(SeenSlice(slice(groups(n % 4), n, 10L + n), true, "")))
    }
    val tasks = ComparedSlices.distributed(all, 7, 5L)
    assert(tasks.size == 7 && tasks.flatten.sortBy(_.number) == all)
    assert(tasks.forall(of => of.map(_.number) == of.map(_.number).sorted))
    val sizes = tasks.map(of => of.map(_.length + 5L).sum)
    assert(sizes.max - sizes.min <= 75L, sizes)
    assert(ComparedSlices.distributed(all.take(2), 2, 5L).map(_.size) == Vector(1, 1))
  }
}
