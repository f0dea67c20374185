package hudilite.spark.read

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.{BaseFileName, LogFileName}
import hudilite.view.{FileSlice, LogFile, SliceBase, SourceFile}

/** Distribution of file slices over input partitions. */
class EvenSplitsSuite extends AnyFunSuite {
  import EvenSplits.Sized

  private val mb = 1L << 20

  private def limits(
      cores: Int,
      most: Long = 128 * mb,
      open: Long = 4 * mb,
      least: Option[Int] = None,
      mostTasks: Option[Int] = None
  ) = ScanLimits(most, open, least.getOrElse(cores), cores, mostTasks)

  private def slice(number: Int, length: Long): FileSlice = {
    val fileId = f"$number%08d-2b39-4e88-92e9-2aa42bf62b9c-0"
    val name = BaseFileName(fileId, s"$number-44-97", "20240101000000000")
    FileSlice.ofBase("", fileId, name.instant, new Path(s"file:/t/${name.text}"), length)
  }

  private def logged(of: FileSlice, bytes: Long): FileSlice = {
    val name = LogFileName(of.fileId, of.instant, 1, "0-1-0")
    of.copy(logs = Seq(LogFile(new Path(of.path.getParent, name.text), bytes, name)))
  }

  /** Slices of bases of which all bytes are read. */
  private def bases(lengths: Seq[Long]): Seq[Sized] =
    lengths.zipWithIndex.map { case (of, n) => Sized(slice(n, of), of, 0L, mayCut = true) }

  private def whole(all: Seq[Sized]): Seq[Sized] = all.map(_.copy(mayCut = false))

  /** Cost of each input partition. */
  private def costs(all: Seq[Sized], limits: ScanLimits): Seq[Long] = {
    val sizes = all.map(of => of.slice.fileId -> of).toMap
    EvenSplits.of(all, limits).map(_.parts.map { part =>
      val of = sizes(part.slice.fileId)
      val share = of.ofBase.toDouble / part.slice.base.length.max(1)
      val bytes = (part.ofBase.fold(0L)(_.length) * share).toLong
      (if (part.start == 0) limits.openBytes else 0L) + of.ofLogs + bytes
    }.sum)
  }

  private def assertWhole(all: Seq[Sized], planned: Seq[SlicePartition]) = {
    val parts = planned.flatMap(_.parts).groupBy(_.slice)
    assert(parts.keySet == all.map(_.slice).toSet)
    assert(planned.forall(_.parts.nonEmpty))
    parts.foreach { case (slice, of) =>
      val sorted = of.sortBy(_.start)
      val ends = sorted.map(part => part.start + part.length)
      assert(sorted.map(_.start) == 0L +: ends.init)
      if (of.size > 1) assert(ends.last == slice.base.length && of.forall(_.length > 0))
      else assert(of.head.isWhole)
    }
  }

  test("tasks are as many as Spark makes, and above the cores a multiple of them") {
    val two = limits(cores = 2)
    assert(Seq(0L, 3L, 8L, 200L, 256L).map(n => two.tasks(n * mb)) == Seq(1, 1, 2, 2, 2))
    assert(Seq(257L, 354L, 512L, 513L).map(n => two.tasks(n * mb)) == Seq(4, 4, 4, 6))
    assert(limits(cores = 8).tasks(354 * mb) == 8 && limits(cores = 8).tasks(20 * mb) == 5)
    assert(limits(cores = 8, least = Some(1)).tasks(354 * mb) == 3)
    assert(limits(cores = 2, least = Some(7)).tasks(354 * mb) == 8)
    assert(limits(cores = 2, mostTasks = Some(3)).tasks(354 * mb) == 3)
    assert(limits(cores = 2, open = 0L).tasks(1L) == 1)
  }

  test("sixteen files of one size are four a task, none of them cut") {
    val all = bases(Seq.fill(16)(18 * mb))
    Seq(all, whole(all)).foreach { slices =>
      val planned = EvenSplits.of(slices, limits(cores = 2))
      assert(planned.map(_.parts.size) == Seq(4, 4, 4, 4))
      assert(planned.flatMap(_.parts).forall(_.isWhole))
      assertWhole(slices, planned)
    }
  }

  test("one large file is cut into equal parts, one for each task") {
    val all = bases(Seq(600 * mb))
    val planned = EvenSplits.of(all, limits(cores = 4))
    assertWhole(all, planned)
    assert(planned.map(_.parts.size) == Seq.fill(8)(1))
    val lengths = planned.flatMap(_.parts).map(_.length)
    assert(lengths.max - lengths.min < 8 * mb)
  }

  test("the largest task is hardly larger than the mean, whatever the sizes") {
    val random = new scala.util.Random(7)
    (1 to 300).foreach { round =>
      val sizes = Seq.fill(1 + random.nextInt(40))((random.nextDouble() * 300 * mb).toLong + 1)
      val (cut, uncut) = bases(sizes).splitAt(random.nextInt(sizes.size + 1))
      val all = cut ++ whole(uncut)
      val of = limits(cores = 1 + random.nextInt(16))
      val planned = EvenSplits.of(all, of)
      assertWhole(all, planned)
      val found = costs(all, of)
      val mean = found.sum / of.tasks(all.map(_.ofBase + of.openBytes).sum)
      val most = whole(uncut).map(_.ofBase).maxOption.getOrElse(0L)
      assert(found.max <= mean + 12 * mb + most, s"round $round: $sizes, $of")
    }
  }

  test("a file is not cut for less than what opening it costs") {
    val all = bases(Seq(20 * mb, 21 * mb))
    val planned = EvenSplits.of(all, limits(cores = 2))
    assert(planned.map(_.parts.map(_.slice)) == all.map(of => Seq(of.slice)))
    assert(EvenSplits.of(bases(Seq(3 * mb, 3 * mb)), limits(cores = 2)).size == 2)
    val tiny = bases(Seq.fill(40)(1000L))
    assert(EvenSplits.of(tiny, limits(cores = 4)).map(_.parts.size) == Seq.fill(4)(10))
  }

  test("a small limit cuts small files, even where opening costs nothing") {
    Seq(0L, 1L, 256L).foreach { open =>
      val all = bases(Seq(10000L, 300L))
      val planned = EvenSplits.of(all, limits(cores = 2, most = 1024L, open = open))
      assertWhole(all, planned)
      assert(planned.size > 9, s"$open: $planned")
      assert(planned.flatMap(_.parts).map(_.length).max <= 1280)
    }
  }

  test("slices that are not cut go to the task with the least, and others fill the rest") {
    val all = whole(bases(Seq(90 * mb))) ++ bases(Seq(30 * mb, 30 * mb, 30 * mb).map(_ + 1))
      .map(of => of.copy(slice = of.slice.copy(fileId = s"x${of.slice.fileId}")))
    val planned = EvenSplits.of(all, limits(cores = 2))
    assertWhole(all, planned)
    assert(planned.map(_.parts.size) == Seq(1, 3))
  }

  test("log files are read with each part, and a part of a source file is one of that file") {
    val base = slice(1, 100 * mb)
    val one = Sized(logged(base, 10 * mb), 100 * mb, 10 * mb, mayCut = true)
    val planned = EvenSplits.of(Seq(one), limits(cores = 2))
    assertWhole(Seq(one), planned)
    assert(planned.size == 2 && planned.flatMap(_.parts).flatMap(_.ofBase).map(_.length).sum ==
      100 * mb)
    val adopted = base.over(SourceFile(new Path("file:/src/a.parquet"), 300 * mb, 0L))
    val parts = EvenSplits.of(Seq(Sized(adopted, 300 * mb, 0L, mayCut = true)), limits(cores = 2))
    assert(parts.size == 4 && parts.flatMap(_.parts).map(_.length).sum == 300 * mb)
    val alone = one.slice.copy(base = SliceBase.NoBase)
    assert(EvenSplits.of(Seq(Sized(alone, 0L, 10 * mb, mayCut = false)), limits(cores = 2)) ==
      Seq(SlicePartition.whole(alone)))
  }

  test("no slices are no tasks, and reads of no column are packed by the number of files") {
    assert(EvenSplits.of(Nil, limits(cores = 4)).isEmpty)
    val all = bases(Seq.fill(64)(100 * mb)).map(_.copy(ofBase = 0L))
    val planned = EvenSplits.of(all, limits(cores = 4))
    assert(planned.map(_.parts.size) == Seq.fill(4)(16))
    assert(planned.flatMap(_.parts).forall(_.isWhole))
  }

  test("columns share the bytes by their types, with the record key among the meta columns") {
    val table = StructType.fromDDL("k STRING, a BIGINT, b INT, c BIGINT")
    def share(columns: String) = EvenSplits.share(table, StructType.fromDDL(columns))
    assert(share("a BIGINT, c BIGINT") == 16.0 / 60)
    assert(share("k STRING, a BIGINT, b INT, c BIGINT") == 40.0 / 60)
    assert(share("_hoodie_record_key STRING, _hoodie_commit_time STRING") == 20.0 / 60)
    assert(EvenSplits.share(table, new StructType()) == 0.0)
    assert(EvenSplits.share(new StructType(), table) == 1.0)
  }
}
