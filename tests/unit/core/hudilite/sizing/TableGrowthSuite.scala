package hudilite.sizing

import org.scalatest.funsuite.AnyFunSuite

import hudilite.timeline.{CommitMetadata, WriteStat}

class TableGrowthSuite extends AnyFunSuite {
  private val day = 24L * 60 * 60 * 1000

  /** @param changes rows, inserted ones and deleted ones */
  private def stat(
      partition: String,
      id: String,
      bytes: Long,
      isNew: Boolean = false,
      changes: (Long, Long, Long) = (100, 0, 0),
      log: Option[WriteStat.Log] = None
  ): WriteStat = {
    val (rows, inserts, deletes) = changes
    val before = if (isNew) WriteStat.noCommit else "001"
    WriteStat(id, s"$partition/$id", before, None, partition, rows, inserts, 0, deletes, bytes,
      bytes,
      log)
  }

  private def of(now: Double, oldest: Map[String, String] = Map.empty)(
      commits: (Double, CommitMetadata)*
  ): Option[TableGrowth] = TableGrowth.of(
    commits.map { case (at, metadata) =>
      TableGrowth.Commit(f"${at * 10}%03.0f", (at * day).toLong, metadata)
    },
    oldest,
    (now * day).toLong
  )

  private def upsert(stats: WriteStat*) = CommitMetadata("UPSERT", "", stats)
  private def replace(partition: String, ids: String*)(stats: WriteStat*) =
    CommitMetadata("INSERT_OVERWRITE", "", stats, Map(partition -> ids))

  test("the first commit is where growth begins, and the days until now count") {
    val load = 0.0 -> upsert(stat("", "a", 1000, isNew = true))
    val more = 1.0 -> upsert(stat("", "a", 1300), stat("", "b", 200, isNew = true))
    val found = of(10)(load, more)
    assert(found.contains(TableGrowth(10, Map("" -> 500L), 0)))
    assert(found.map(_.perDay).contains(50L) && found.map(_.of("", 90)).contains(4500.0))
    assert(of(10)(load).contains(TableGrowth(10, Map.empty, 0)), "nothing has come since")
  }

  test("commits before the first load do not begin the history") {
    val load = 30.0 -> upsert(stat("", "a", 1000, isNew = true))
    val more = 32.0 -> upsert(stat("", "a", 1100))
    val found = of(40)(0.0 -> upsert(), 0.5 -> upsert(), 20.0 -> upsert(), load, more)
    assert(found.contains(TableGrowth(10, Map("" -> 100L), 0)))
  }

  test("commits of the first day belong to the first load") {
    val loads = Seq(0.0, 0.1, 0.5, 0.9).map { at =>
      at -> upsert(stat(s"p=$at", s"$at", 1000, isNew = true))
    }
    assert(of(1)(loads: _*).isEmpty, "the last load was a moment ago")
    assert(of(2)(loads: _*).map(_.perDay).contains(0L))
    val more = 1.9 -> upsert(stat("p=0.5", "0.5", 1300))
    val found = of(10.9)(loads :+ more: _*)
    assert(found.map(_.bytesIn).contains(Map("p=0.5" -> 300L)))
    assert(found.exists(of => math.abs(of.days - 10) < 0.001 && of.later == 0))
  }

  test("a history of less than a day shows no growth") {
    val load = 0.0 -> upsert(stat("", "a", 1000, isNew = true))
    assert(of(0.9)(load).isEmpty && of(1)(load).nonEmpty && of(1)().isEmpty)
  }

  test("if the file before is not known, rows tell how much a file has grown") {
    val first = 0.0 -> upsert()
    val more = 1.0 -> upsert(stat("", "a", 1000, changes = (100, 30, 10)))
    assert(of(2)(first, more).map(_.bytesIn).contains(Map("" -> 200L)))
  }

  test("if rows do not tell either, the history begins anew") {
    val first = 0.0 -> upsert(stat("", "b", 500, isNew = true))
    val unknown = Seq(
      CommitMetadata("COMPACT", "", Seq(stat("", "a", 1000))),
      upsert(stat("", "a", 1000, changes = (0, 0, 10))),
      replace("", "c")(stat("", "a", 1000, isNew = true))
    )
    unknown.foreach { commit =>
      val found =
        of(5)(first, 1.0 -> commit, 2.0 -> upsert(stat("", "a", 1100), stat("", "b", 700)))
      assert(found.contains(TableGrowth(4, Map("" -> 300L), 0)), commit.operationType)
    }
  }

  test("replaced files and smaller ones shrink a table") {
    val first = 0.0 -> upsert(stat("", "a", 1000, isNew = true), stat("", "b", 500, isNew = true))
    val later = 1.0 -> replace("", "a")(stat("", "c", 100, isNew = true), stat("", "b", 450))
    assert(of(10)(first, later).map(_.perDay).contains(-95L))
  }

  test("log files are not counted, and compactions of known files are") {
    val first = 0.0 -> upsert(stat("", "a", 1000, isNew = true))
    val log = 1.0 -> upsert(stat("", "a", 900, log = Some(WriteStat.Log(1, "a", Nil))))
    val compaction = 2.0 -> CommitMetadata("COMPACT", "", Seq(stat("", "a", 1050)))
    assert(of(10)(first, log).map(_.perDay).contains(0L))
    assert(of(10)(first, log, compaction).map(_.bytesIn).contains(Map("" -> 50L)))
  }

  test("a partition that comes later counts for the table, and does not grow on") {
    val first = 0.0 -> upsert(stat("p=1", "a", 1000, isNew = true))
    val later =
      1.0 -> upsert(stat("p=1", "a", 1100), stat("p=2", "b", 800, isNew = true),
        stat("p=3", "c", 400))
    val next = 2.0 -> upsert(stat("p=2", "b", 900))
    val found = of(10)(first, later, next)
    assert(found.contains(TableGrowth(10, Map("p=1" -> 100L, "p=3" -> 0L), 900)))
    assert(found.map(_.perDay).contains(100L) && found.map(_.of("p=2", 90)).contains(0.0))
    val old = of(10, Map("p=2" -> "000"))(first, later, next)
    assert(old.map(_.bytesIn.get("p=2")).contains(Some(900L)), "it has a file of an older commit")
  }

  test("changes are spread as in the commit in the middle") {
    def changed(ids: String*) = upsert(ids.map(id =>
      stat("p=1", id, 10).copy(numUpdateWrites = 1)
    ): _*)
    val files = Map("p=1" -> 10, "p=2" -> 3)
    val few = Seq(changed("a"), changed("a", "b", "b"), changed("a", "b", "c", "d", "e", "f"))
    assert(SpreadOfChanges.of(few, files).contains(0.2))
    assert(SpreadOfChanges.of(few.take(2), files).isEmpty, "two commits say nothing")
    val none = upsert(stat("p=1", "new", 10, isNew = true, changes = (5, 5, 0)))
    val small = upsert(stat("p=2", "a", 10).copy(numDeletes = 1))
    val compaction = changed("a").copy(operationType = "COMPACT")
    assert(SpreadOfChanges.of(few.take(2) ++ Seq(none, small, compaction), files).isEmpty)
    assert(SpreadOfChanges.of(few ++ Seq(none, small, compaction), files).contains(0.2))
  }
}
