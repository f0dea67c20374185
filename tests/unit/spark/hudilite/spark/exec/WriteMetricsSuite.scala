package hudilite.spark.exec

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.spark.merge.{
  FileGroupResult,
  MergePart,
  MergeResult,
  SampledRow,
  TaskCounts
}
import hudilite.spark.write.PhaseMillis
import hudilite.view.FileSlice

class WriteMetricsSuite extends AnyFunSuite {

  private val counts = TaskCounts(filesOpened = 2, bytesRead = 70, keyed = 9, keyless = 1, 6)

  private def slice(partition: String, id: String) =
    FileSlice.ofBase(partition, id, "001", new Path(s"/t/$partition/${id}_0-0-0_001.parquet"), 5)

  private def group(partition: String, id: String, isNew: Boolean = false): FileGroupResult = {
    val old = FileGroupResult.unchanged(slice(partition, id), partitionFileGroups = 3)
    val written = old.copy(fileName = Some(s"${id}_0-0-0_002.parquet"), fileBytes = 100)
    if (isNew) written.copy(prevBaseFile = None, prevCommit = None) else written
  }

  private def of(groups: Seq[FileGroupResult], hidden: Seq[FileSlice] = Nil, deleted: Long = 0) =
    WriteMetrics.of(
      MergeResult(groups, counts),
      hidden,
      deleted,
      leftOut = 0,
      retries = 0,
      PhaseMillis(planning = 5, tagging = 70, merging = 900, committing = 11)
    )

  test("what tasks put out comes back whole, also from a task without a file group") {
    val groups = Seq(group("a", "1"), group("b", "2", isNew = true))
    val projection = UnsafeProjection.create(MergeResult.schema)
    val middle = Some(UTF8String.fromString("m"))
    val parts =
      Seq(MergePart("a", 1, 3, 0, 2, None, middle), MergePart("a", 1, 3, 2, 4, middle, None))
    val sample = SampledRow("insert", "a", "k", Array[Byte](1, 2))
    val rows = (MergeResult.rows(groups, counts, parts, Seq(sample)) ++
      MergeResult.rows(Nil, counts)).map(projection(_).copy())
    val read = MergeResult.of(rows)
    assert(read.copy(samples = Nil) == MergeResult(groups, counts + counts, parts))
    assert(read.samples.map(of => (of.kind, of.partition, of.key, of.values.toSeq)) ==
      Seq((sample.kind, sample.partition, sample.key, sample.values.toSeq)))
  }

  test("a row that changed its partition is updated, neither inserted nor deleted nor copied") {
    val from = group("a", "1").copy(rows = 7, deletes = 2, movedOut = 1)
    val to = group("b", "2").copy(rows = 5, inserts = 3, movedIn = 1, updates = 1)
    val metrics = of(Seq(from, to))
    assert(metrics.answer(mayBeOlder = false).flatten == Seq(2 + 1 + 2, 2, 1, 2))
    assert(metrics.rowsCopied == 7 + 1)
    assert(metrics.rowsSkipped == 9 + 1 - 6)
  }

  test("a file group that was not there and was not made is not touched") {
    val absent = group("a", "1", isNew = true).copy(fileName = None, partitionFileGroups = 3)
    val metrics = of(Seq(absent, group("b", "2"), group("b", "3", isNew = true)))
    assert(metrics.fileGroupsTouched == 2)
    assert(metrics.fileGroups == 3 + 1)
    assert(metrics.filesWritten == 2)
    assert(metrics.bytesWritten == 200)
  }

  test("file groups that are replaced count as touched, and their rows as the statement says") {
    val metrics = of(Nil, Seq(slice("a", "1"), slice("a", "2")), deleted = 40)
    assert((metrics.fileGroupsTouched, metrics.fileGroups, metrics.filesWritten) == ((2, 2, 0)))
    assert(metrics.rowsDeleted == 40)
  }

  test("a phase begins when the one before has ended") {
    val now = System.nanoTime
    def before(seconds: Long) = now - seconds * 1000000000L
    val took = PhaseMillis.until(planning = 5, before(9), tagged = before(7), merged = before(2))
    assert((took.planning, took.tagging, took.merging) == ((5, 2000, 5000)))
    assert(took.committing >= 2000 && took.committing < 60000)
  }

  test("a write without source rows has no phases of a source") {
    val now = System.nanoTime
    def before(seconds: Long) = now - seconds * 1000000000L
    val extra = PhaseMillis.withoutSource(began = before(9), merged = before(2))
    assert(extra.keySet == Set("Merging", "Committing").map(p => s"hudilite.metrics.millis$p"))
    assert(extra("hudilite.metrics.millisMerging") == "7000")
    assert(extra("hudilite.metrics.millisCommitting").toLong >= 2000)
  }

  test("each figure stands in the commit under its name") {
    val extra = of(Seq(group("a", "1").copy(rows = 4, updates = 1))).extra
    assert(extra("hudilite.metrics.numRowsCopied") == "3")
    assert(extra("hudilite.metrics.bytesRead") == "70")
    val phases = Seq("Planning", "Tagging", "Merging", "Committing")
    assert(phases.map(p => extra(s"hudilite.metrics.millis$p")) == Seq("5", "70", "900", "11"))
    assert(extra.keys.forall(_.startsWith("hudilite.metrics.")))
  }
}
