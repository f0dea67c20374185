package hudilite.service

import java.time.ZoneOffset

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.Rotation
import hudilite.commit.{AsOf, CommitNumbers, TimelineMove}
import hudilite.error.HudiliteException
import hudilite.format.TableVersion.{Eight, Nine, Six}
import hudilite.format.{ChangedVersion, TableConfig, TableVersion}
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.timeline.{Instant, StockCommits, Timeline}
import hudilite.verify.TableCheck
import hudilite.view.{TableSnapshot, TestTable}

/** Changes of the version of a table: its states stay, also after a crash and beside writers. */
class VersionChangeSuite extends AnyFunSuite {
  import VersionChangeSuite._

  private def at(table: TestTable, path: String): Path = Storage.resolve(table.base, path)

  private def names(table: TestTable, folder: String): Set[String] =
    TempFolder.names(at(table, folder)).filter(_.head.isDigit).toSet

  private def failure(step: => Any): HudiliteException = intercept[HudiliteException](step: Unit)

  /** A table with three commits, a savepoint of the first, a clean and a rollback. */
  private def filled(table: TestTable): Unit = {
    table.config: Unit
    val first = table.merge(1)(_ => "a").instant
    new Savepoints(table.files).create(table.config, first, "me", "", now()): Unit
    table.merge(1, 2)(_ + "b"): Unit
    table.merge(2)(_ + "c"): Unit
    val lost = table.start(table.snapshot, Seq(3))(_ => "x").transaction.instant
    table.log.rollback.rollBack(lost): Unit
    new Cleaner(table.files, table.config, table.log, () => now()).run(Retention(1, 0)): Unit
  }

  /** All that readers find: each state and the savepoints. */
  private def states(table: TestTable): Seq[Any] = {
    val times = table.snapshot.instants
    val seen = times.map { time =>
      Try(table.rows(TableSnapshot.load(table.files, table.config, Some(AsOf.Version(time)))))
        .toOption
    }
    Seq(times, seen, table.rows(), new Savepoints(table.files).instants())
  }

  private def check(table: TestTable, expected: Seq[Any]): Unit = {
    assert(states(table) == expected)
    assert(TableCheck.run(table.files, files = true).findings.isEmpty)
  }

  test("a table keeps its states on the way to version 9 and back, and is written in each") {
    TestTable.use { table =>
      filled(table)
      val before = states(table)
      val old = names(table, ".hoodie")
      val commits = old.filter(_.endsWith(".commit"))
        .map(name => name -> TempFolder.text(at(table, s".hoodie/$name")))
      val instants = old.map(_.takeWhile(_ != '.')).size
      val done = change(table, Nine)
      assert((done.from, done.to, done.isChanged) == ((Six, Nine, true)))
      assert(done.instants == instants + 1, "the savepoint has the instant of its commit")
      val nine = again(table)
      check(nine, before)
      assert(names(nine, ".hoodie").isEmpty && names(nine, ".hoodie/timeline").size == old.size)
      assert(!change(nine, Nine).isChanged)
      val made = nine.merge(4)(_ => "d").instant
      val later = states(nine)
      val completed = names(nine, ".hoodie/timeline").filter(_.startsWith(s"${made}_"))
      assert(change(nine, Six).isChanged)
      val six = again(table)
      check(six, later)
      assert(names(six, ".hoodie/timeline").isEmpty)
      commits.foreach { case (name, text) =>
        assert(TempFolder.text(at(six, s".hoodie/$name")) == text)
      }
      six.merge(4)(_ + "e"): Unit
      assert(six.rows()(4) == "de")
      change(six, Nine): Unit
      assert(completed.subsetOf(names(six, ".hoodie/timeline")), "the number contains the time")
    }
  }

  test("times of completion are in the order of the commits, whatever the files say") {
    TestTable.use { table =>
      table.config: Unit
      val times = Seq("a", "b", "c").map(text => table.merge(1)(_ + text).instant)
      times.zip(Seq(5000L, 3000L, 4000L)).foreach { case (time, millis) =>
        new java.io.File(at(table, s".hoodie/$time.commit").toUri).setLastModified(millis): Unit
      }
      change(table, Nine): Unit
      val completed = Timeline.load(again(table).files).completed
      assert(
        completed.map(_.time) == times && completed.forall(i => i.completion.exists(_ > i.time))
      )
      assert(completed.flatMap(_.completion) == completed.flatMap(_.completion).sorted.distinct)
    }
  }

  test("versions 8 and 9 differ in the properties alone") {
    TestTable.useVersion9 { table =>
      filled(table)
      val (before, there) = (states(table), names(table, ".hoodie/timeline"))
      change(table, Eight): Unit
      assert(again(table).files.config().version == Eight)
      check(again(table), before)
      change(again(table), Nine): Unit
      assert(again(table).files.config().properties == table.config.properties +
        ("hoodie.table.legacy.payload.class" ->
          "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"))
      assert(names(table, ".hoodie/timeline") == there)
    }
  }

  test("a writer that is overtaken fails, and its instant can be rolled back") {
    Seq(Six -> Nine, Nine -> Six).foreach { case (from, to) =>
      use(from) { table =>
        table.merge(1)(_ => "a"): Unit
        val move = new TimelineMove(table.files, ZoneOffset.UTC)
        move.prepare(to): Unit
        val writer = table.start(table.snapshot, Seq(1))(_ + "b")
        assert(move.decide(2, to, "me"))
        move.finish(2, to): Unit
        val moved = again(table)
        assert(failure(writer.commit()).condition == "HUDILITE_CONCURRENT_WRITE")
        assert(failure(table.merge(2)(_ => "c")).condition == "HUDILITE_CONCURRENT_WRITE")
        assert(failure(table.snapshot).condition == "HUDILITE_CONCURRENT_WRITE")
        moved.log.rollback.rollBackOlderThan(0): Unit
        assert(moved.rows() == Map(1 -> "a"))
        assert(moved.merge(1)(_ + "d").number == 4 && moved.rows() == Map(1 -> "ad"))
        assert(failure(table.merge(2)(_ => "c")).condition == "HUDILITE_CONCURRENT_WRITE")
      }
    }
  }

  test("a commit that comes before the number of the move is part of it") {
    use(Six) { table =>
      table.merge(1)(_ => "a"): Unit
      val move = new TimelineMove(table.files, ZoneOffset.UTC)
      move.prepare(Nine): Unit
      table.merge(1)(_ + "b"): Unit
      assert(!move.decide(2, Nine, "me"))
      assert(change(table, Nine).isChanged)
      assert(again(table).rows() == Map(1 -> "ab"))
    }
  }

  test("a commit that was undone after an interrupted move does not come back") {
    Seq(Six -> Nine, Nine -> Six).foreach { case (from, to) =>
      use(from) { table =>
        val first = table.merge(1)(_ => "a").instant
        table.merge(1)(_ + "b"): Unit
        new TimelineMove(table.files, ZoneOffset.UTC).prepare(to): Unit
        new Restore(table.files, table.config, table.log, () => now()).run(first): Unit
        change(table, to): Unit
        assert(again(table).rows() == Map(1 -> "a"))
      }
    }
  }

  test("the next writer finishes a move that is decided, and fails") {
    use(Six) { table =>
      table.merge(1)(_ => "a"): Unit
      val move = new TimelineMove(table.files, ZoneOffset.UTC)
      move.prepare(Nine): Unit
      assert(move.decide(2, Nine, "me"))
      assert(again(table).rows() == Map(1 -> "a"))
      assert(failure(table.merge(1)(_ + "b")).condition == "HUDILITE_CONCURRENT_WRITE")
      assert(again(table).files.config().version == Nine)
      assert(again(table).merge(1)(_ + "c").number == 3)
      assert(again(table).rows() == Map(1 -> "ac"))
    }
  }

  test("a version that another program has given the table since stays") {
    use(Nine) { table =>
      table.merge(1)(_ => "a"): Unit
      change(table, Six): Unit
      val moved = again(table)
      val time = moved.snapshot.instants.mkString
      val bytes =
        StockCommits.file(moved.files.commit(Instant(time, Instant.commit, Instant.Completed)))
      LocalStorage.createNew(at(table, s".hoodie/timeline/${time}_29990101000000000.commit"), bytes)
      LocalStorage.delete(at(table, s".hoodie/$time.commit"))
      val facts = ChangedVersion.of(moved.files.config(), Nine)
      LocalStorage.replace(moved.files.properties, TableConfig.render(facts))
      val nine = again(table)
      assert(nine.rows() == Map(1 -> "a"))
      assert(nine.merge(1)(_ + "b").number == 3 && again(table).rows() == Map(1 -> "ab"))
      assert(again(table).files.config().version == Nine)
      assert(change(again(table), Six).isChanged && again(table).rows() == Map(1 -> "ab"))
    }
  }

  test("pending actions are refused by name") {
    use(Six) { table =>
      table.merge(1)(_ => "a"): Unit
      val open = table.start(table.snapshot, Seq(1))(_ + "b").transaction
      val refused = failure(change(table, Nine))
      assert(refused.condition == "HUDILITE_UNSUPPORTED_TABLE")
      assert(refused.parameters("fact") == "pending write")
      assert(refused.parameters("value") == open.instant)
      assert(table.files.config().version == Six && open.abort())
      TempFolder.write(at(table, ".hoodie/29990101000000000.indexing.requested"), "x")
      assert(failure(change(table, Nine)).parameters("fact") == "pending indexing")
      LocalStorage.delete(at(table, ".hoodie/29990101000000000.indexing.requested"))
      TempFolder.write(at(table, ".hoodie/29990101000000000.restore.requested"), "x")
      assert(failure(change(table, Nine)).parameters("fact") == "pending restore")
    }
  }

  test("a commit of stock Hudi that only the other layout has is not deleted") {
    use(Six) { table =>
      table.merge(1)(_ => "a"): Unit
      val lost = ".hoodie/timeline/20200101000000000_20200101000000001.commit"
      LocalStorage.createNew(at(table, lost), StockCommits.file(TestTable.metadata(Nil))): Unit
      Seq(Nine, Six).foreach { version =>
        val refused = failure(change(table, version))
        assert(refused.parameters("value") == lost)
      }
      assert(LocalStorage.exists(at(table, lost)) && table.rows() == Map(1 -> "a"))
    }
  }

  test("a fault at a call of the storage leaves the table before or after") {
    val step = if (sys.env.get("HUDILITE_FAULTS").contains("all")) 1 else 5
    val faults = for {
      (from, to) <- Seq(Six -> Nine, Nine -> Six)
      (action, first) <- Seq("throw", "throwAfter", "stop").zip(Seq(1, 2, 4))
    } yield (from, to, action, first)
    Rotation.third(faults).foreach { case (from, to, action, first) =>
      val struck = Iterator.from(math.min(first, step), step)
        .map(k => strike(from, to, s"*:.*:$k:$action")).takeWhile(identity)
      assert(struck.size > 20 / step, s"$from $to $action")
    }
  }

  /** @return whether the fault was reached */
  private def strike(from: TableVersion, to: TableVersion, fault: String): Boolean = use(from) {
    table =>
      filled(table)
      val before = states(table)
      val plan = FaultPlan.parse(fault)
      val faulty =
        new TestTable(table.base, FaultStorage.over(LocalStorage, plan), isWatched = true)
      val failed = Try(change(faulty, to))
      val found = again(table)
      assert(states(found) == before, s"$from $to $fault $failed")
      val version = found.files.config().version
      assert(version == to || version == from && failed.isFailure, fault)
      found.log.rollback.rollBackOlderThan(0): Unit
      Try(found.merge(4)(_ => "d")): Unit
      val next = again(table)
      Try(change(next, to)): Unit
      val last = again(table)
      assert(last.files.config().version == to, fault)
      last.log.rollback.rollBackOlderThan(0): Unit
      last.merge(4)(_ => "d"): Unit
      assert(last.rows()(4) == "d" && last.rows() - 4 == before(2), fault)
      assert(change(last, to).instants == 0, fault)
      assert(TableCheck.run(last.files, files = true).findings.isEmpty, fault)
      val other = if (to == Nine) ".hoodie" else ".hoodie/timeline"
      assert(names(last, other).isEmpty, fault)
      assert(
        new CommitNumbers(last.files).list().hints.values.count(Instant.movedTo(_).nonEmpty) == 1
      )
      plan.hasStruck
  }
}

object VersionChangeSuite {
  private def now(): Long = System.currentTimeMillis

  /** Opens a table as it is now. */
  private def again(table: TestTable): TestTable = new TestTable(table.base, isWatched = true)

  private def change(table: TestTable, version: TableVersion): VersionChange.Outcome =
    new VersionChange(table.files, table.log, table.zone).run(version)

  private def use[A](version: TableVersion)(test: TestTable => A): A =
    if (version == Six) TestTable.use { table =>
      table.config: Unit
      test(table)
    }
    else TestTable.useVersion9(test)
}
