package hudilite.commit

import java.io.IOException

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.Rotation
import hudilite.error.HudiliteException
import hudilite.io.{FileEntry, LocalStorage, Storage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.timeline.{AvroFiles, ListedTwice, Markers, TimelineFiles}
import hudilite.view.TestTable
import hudilite.view.TestTable.use

/** Writes that were begun and never committed are taken back, by a number first. */
class RollbackSuite extends AnyFunSuite {
  private val hour = 3600000L

  private def at(table: TestTable, path: String): Path = Storage.resolve(table.base, path)

  private def hoodie(table: TestTable): Set[String] = TempFolder.names(at(table, ".hoodie"))

  private def data(table: TestTable): Set[String] =
    TempFolder.names(at(table, "p=a")) - ".hoodie_partition_metadata"

  private def rollback(table: TestTable, later: Long = 0): Rollback =
    new Rollback(table.files, table.log, () => System.currentTimeMillis + later)

  private def condition(body: => Any): String = intercept[HudiliteException](body).condition

  private def records(table: TestTable): Seq[CommitRecord] = {
    val numbers = new CommitNumbers(TimelineFiles.of(LocalStorage, table.base))
    (1L to numbers.list().highest).map(numbers.read)
  }

  // F04, F24
  test("a dead write goes with all that is its own, and its writer cannot commit any more") {
    use { table =>
      table.merge(1)(_ => "kept")
      val started = table.start(table.snapshot, Seq(1, 2))(_ + "lost")
      val (lost, files) = (started.transaction.instant, data(table))
      val done = rollback(table).rollBackOlderThan(0)
      assert(done.map(_.instant) == Seq(lost))
      assert(done.head.deleted.toSet == started.stats.map(_.path).toSet)
      assert(files.size - data(table).size == 2 && table.rows() == Map(1 -> "kept"))
      val r = done.head.rollback
      assert(r > lost && !hoodie(table).exists(_.startsWith(lost)))
      assert(
        hoodie(table).filter(_.startsWith(r)) ==
          Set(s"$r.rollback.requested", s"$r.rollback.inflight", s"$r.rollback")
      )
      assert(TempFolder.names(at(table, ".hoodie/.temp")).isEmpty)
      assert(records(table).map(x => x.kind.text -> x.instant).last == "abort" -> lost)
      assert(condition(started.commit()) == "HUDILITE_WRITE_ROLLED_BACK")
      assert(started.transaction.abort() && rollback(table).rollBackOlderThan(0).isEmpty)
      assert(table.merge(1)(_ + "+next").number == 3 && table.rows() == Map(1 -> "kept+next"))
    }
  }

  test("what a rolled-back write has left is deleted later, of an unknown one its markers") {
    use { table =>
      val started = table.start(table.snapshot, Seq(1))(_ => "lost")
      val (lost, written) = (started.transaction.instant, data(table).head)
      assert(rollback(table).rollBackOlderThan(0).map(_.instant) == Seq(lost))
      val unknown = "20990101000000000"
      Seq(lost, unknown).foreach { time =>
        val file = written.replace(lost, time)
        Markers.create(table.files, time, "p=a", file, Markers.Merge)
        TempFolder.write(at(table, s"p=a/$file"), "left")
      }
      assert(rollback(table).rollBackOlderThan(0).isEmpty)
      assert(Markers.instants(table.files).isEmpty)
      assert(data(table) == Set(written.replace(lost, unknown)))
    }
  }

  test("markers of a write that begins after the timeline was listed stay") {
    use { table =>
      table.merge(1)(_ => "kept")
      var begin: () => Unit = () => table.start(table.snapshot, Seq(1))(_ => "begins"): Unit
      val slow = new ListedTwice {
        override def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] = {
          if (dir.getName == ".temp") {
            val now = begin
            begin = () => ()
            now()
          }
          super.list(dir, detailed)
        }
      }
      val files = TimelineFiles.of(slow, table.base)
      Markers.create(table.files, "20200101000000000", "p=a", "left.parquet", Markers.Create)
      val rollback = new Rollback(files, table.log, () => System.currentTimeMillis)
      assert(rollback.rollBackOlderThan(hour).isEmpty)
      assert(Markers.instants(table.files).map(_ > "2026") == Seq(true))
    }
  }

  test("only age makes a pending write a dead one") {
    use { table =>
      val started = table.start(table.snapshot, Seq(1))(_ => "slow")
      assert(rollback(table).rollBackOlderThan(hour).isEmpty)
      assert(rollback(table, later = hour - 10000).rollBackOlderThan(hour).isEmpty)
      assert(started.commit().number == 1 && table.rows() == Map(1 -> "slow"))
      val other = table.start(table.snapshot, Seq(1))(_ + "dead")
      assert(rollback(table, later = hour + 10000).rollBackOlderThan(hour).map(_.instant) ==
        Seq(other.transaction.instant))
    }
  }

  // F08, F30
  test("an instant is rolled back once; one that cannot be is refused with the reason") {
    use { table =>
      val lost = table.start(table.snapshot, Seq(1))(_ => "x").transaction.instant
      val committed = table.merge(2)(_ => "y").instant
      val first = rollback(table).rollBack(lost)
      assert(first.map(_.deleted.size) == Right(1))
      assert(rollback(table).rollBack(lost) == first.map(_.copy(deleted = Nil)))
      assert(hoodie(table).count(_.endsWith(".rollback")) == 1)
      assert(rollback(table).rollBack(committed) == Left(Rollback.IsCommitted))
      assert(rollback(table).rollBack("20200101000000000") == Left(Rollback.IsUnknown))
      assert(
        rollback(table).rollBack(first.map(_.rollback).merge.toString) == Left(Rollback.IsNoWrite)
      )
      assert(table.rows() == Map(2 -> "y"))
    }
  }

  // F24
  test("a write that commits while its rollback begins stands") {
    use { table =>
      table.config
      val started = table.start(table.snapshot, Seq(1))(_ => "won")
      var late: () => Unit = () => started.commit(): Unit
      val slow = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          val now = if (path.toString.contains("commits/")) late else () => ()
          if (path.toString.contains("commits/")) late = () => ()
          now()
          super.createNew(path, bytes)
        }
      }
      val rival = new TestTable(table.base, slow)
      assert(rollback(rival).rollBack(started.transaction.instant) == Left(Rollback.IsCommitted))
      assert(table.rows() == Map(1 -> "won") && records(table).map(_.kind.text) == Seq("commit"))
    }
  }

  // F08
  test("a rollback that dies at any call is finished by the next, also when that one dies") {
    def lost(table: TestTable): String = {
      table.merge(1)(_ => "kept")
      table.start(table.snapshot, Seq(1, 2))(_ + "lost").transaction.instant
    }
    def dies(table: TestTable, k: Int): Boolean = {
      val plan = FaultPlan.parse(s"*:.:$k:stop")
      val mortal = new TestTable(table.base, FaultStorage.over(LocalStorage, plan))
      try rollback(mortal).rollBackOlderThan(0): Unit
      catch { case _: IOException => () }
      plan.hasStruck
    }
    def check(table: TestTable, instant: String): Unit = {
      rollback(table).rollBackOlderThan(0): Unit
      assert(table.rows() == Map(1 -> "kept") && data(table).size == 1)
      assert(!hoodie(table).exists(_.startsWith(instant)))
      assert(TempFolder.names(at(table, ".hoodie/.temp")).isEmpty)
      assert(records(table).map(_.kind.text) == Seq("commit", "abort"))
      assert(hoodie(table).count(_.endsWith(".rollback")) == 1)
      assert(table.merge(1)(_ + "+next").number == 3)
    }
    def calls(first: Option[Int]): Int = Iterator.from(1).find { k =>
      use { table =>
        val instant = lost(table)
        first.foreach(dies(table, _))
        val struck = dies(table, k)
        check(table, instant)
        !struck
      }
    }.getOrElse(0)
    val all = calls(None)
    assert(all > 15)
    Rotation.third(1 until all by 3).foreach(k => assert(calls(Some(k)) > 1))
  }

  test("what stock left pending goes by its markers, or by a search for its files") {
    Seq(true, false).foreach { served =>
      use { table =>
        table.merge(1)(_ => "kept")
        val time = "29990101000000000"
        val file = s"00000002-aaaa-bbbb-cccc-dddddddddddd-0_0-1-1_$time.parquet"
        TempFolder.write(at(table, s"p=a/$file"), "?")
        TempFolder.write(at(table, s".hoodie/$time.commit.requested"), "")
        if (served) {
          TempFolder.write(at(table, s".hoodie/.temp/$time/MARKERS.type"), "TIMELINE_SERVER_BASED")
          TempFolder.write(at(table, s".hoodie/.temp/$time/MARKERS0"), s"p=a/$file.marker.CREATE\n")
        }
        assert(rollback(table).rollBack(time).map(_.deleted) == Right(Seq(s"p=a/$file")))
        assert(table.rows() == Map(1 -> "kept") && data(table).size == 1)
      }
    }
  }

  // F83
  test("a marker that leads out of the table, or to another's file, deletes nothing") {
    use { table =>
      table.merge(1)(_ => "kept")
      val time = "29990101000000000"
      val victim = s"00000002-aaaa-bbbb-cccc-dddddddddddd-0_0-1-1_$time.parquet"
      TempFolder.write(new Path(table.base.getParent, victim), "?")
      val lines =
        Seq(s"../$victim", s"p=a/${data(table).head}").map(_ + ".marker.CREATE\n").mkString
      TempFolder.write(at(table, s".hoodie/$time.commit.requested"), "")
      TempFolder.write(at(table, s".hoodie/.temp/$time/MARKERS0"), lines)
      assert(rollback(table).rollBack(time).map(_.deleted) == Right(Nil))
      assert(TempFolder.text(new Path(table.base.getParent, victim)) == "?")
      assert(table.rows() == Map(1 -> "kept"))
    }
  }

  test("a clustering that stock has planned is left alone") {
    use { table =>
      table.merge(1)(_ => "kept")
      val time = "29990101000000000"
      AvroFiles.requestedReplace(table.base, time, isClustering = true)
      assert(rollback(table, later = hour).rollBackOlderThan(0).isEmpty)
      assert(rollback(table).rollBack(time) == Left(Rollback.IsPlanned))
    }
  }
}
