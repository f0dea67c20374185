package hudilite.service

import java.time.ZoneOffset

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import hudilite.Rotation
import hudilite.commit.AsOf
import hudilite.error.HudiliteException
import hudilite.format.{BaseFileName, BlockBytes, LogFileName, TableVersion}
import hudilite.io.{LocalStorage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.timeline.{ArchivedActions, Cleans, Instant, StockCommits, Timeline}
import hudilite.view.LogTable.{append, at, each, logs, nextName, put, sliceOf, use}
import hudilite.view.{TableSnapshot, TestTable}

/** Services on tables with log files: what a kept state needs stays, and the rest goes with its base. */
class LogServicesSuite extends AnyFunSuite {
  private val last = Retention(1, 0)
  private val limits = ActiveLimits(3, 4)

  private def cleaner(table: TestTable) =
    new Cleaner(table.files, table.config, table.log, () => System.currentTimeMillis)

  private def restore(table: TestTable): Restore =
    new Restore(table.files, table.config, table.log, () => System.currentTimeMillis)

  private def archiver(table: TestTable) = new Archiver(table.files, table.config, table.log, None,
    () =>
      System.currentTimeMillis)

  private def condition(body: => Any): String = intercept[HudiliteException](body).condition

  private def bases(table: TestTable): Set[String] =
    TempFolder.names(at(table, table.partition)).filter(BaseFileName.parse(_).nonEmpty)

  private def logsOf(table: TestTable, instant: String): Set[String] = {
    val state = TableSnapshot.load(table.files, table.config, Some(AsOf.Version(instant)))
    state.slices(table.partition).flatMap(_.logs).map(_.path.getName).toSet
  }

  private def names(places: String*): Set[String] = places.map(BaseFileName.last).toSet

  /** Table with three slices of bucket 1, which have two log files, one and none, and of bucket 2 a base with a log
    * file.
    * @return paths of the log files, and the instants of the bases of bucket 1 */
  private def grown(table: TestTable): (Seq[String], Seq[String]) = {
    val first = table.merge(1, 2)(_ => "a").instant
    val two = Seq(append(table, 1)(), append(table, 1)())
    val other = append(table, 2)()
    val second = table.merge(1)(_ + "b").instant
    val third = append(table, 1)()
    val end = table.merge(1)(_ + "c").instant
    ((two ++ Seq(other, third)).map(_.place), Seq(first, second, end))
  }

  test("a clean deletes the log files of superseded slices with their bases, and no other") {
    each { table =>
      val (places, instants) = grown(table)
      val kept = cleaner(table).run(Retention(2, 0))
      assert(kept.deleted.map(_.place).toSet.filter(places.contains) == places.take(2).toSet)
      assert(kept.deleted.map(_.instant).count(instants.head == _) >= 1)
      assert(logs(table) == places.drop(2).toSet && bases(table).size == 3)
      assert(logsOf(table, instants(1)).subsetOf(names(places.drop(2): _*)))
      val all = cleaner(table).run(last)
      assert(logs(table) == Set(places(2)) && bases(table).size == 2)
      val cleans = new Cleans(table.files)
      assert(cleans.planned(all.instant.get).files.toSet == all.deleted.map(_.place).toSet)
      assert(all.deleted.exists(_.place == places(3)))
      assert(sliceOf(table, 2).logs.map(_.path.getName) == Seq(BaseFileName.last(places(2))))
      assert(cleaner(table).run(last).instant.isEmpty)
    }
  }

  test("a savepoint keeps base and log files, and lists both") {
    each { table =>
      val (places, _) = grown(table)
      val state = table.snapshot.instants(3) // before the second base
      val saved = new Savepoints(table.files).create(table.config, state, "me", "", 5)
      val files = new Savepoints(table.files).files()
      assert(files == saved.slices.flatMap(_.places).toSet)
      // In version 6, the next base may be that of a compaction that was planned in this state.
      val isNamedAfterBase = table.config.version == TableVersion.Six
      val kept = if (isNamedAfterBase) places else places.take(3)
      assert(files.filter(logs(table)) == kept.toSet)
      val done = cleaner(table).run(last)
      assert(done.deleted.filter(_.isLog).map(_.place) == places.filterNot(kept.contains))
      assert(done.saved == kept.size && logsOf(table, state) == names(kept: _*))
      new Savepoints(table.files).delete(state)
      cleaner(table).run(last)
      assert(logs(table) == Set(places(2)))
    }
  }

  test("a state whose log file is about to go cannot be saved") {
    each { table =>
      val (places, _) = grown(table)
      val cleans = new Cleans(table.files)
      val plan = Cleans.Plan("", "", "", Seq(places.head))
      table.log.request(Cleans.action, cleans.record(plan))
      def save(at: Int) = new Savepoints(table.files)
        .create(table.config, table.snapshot.instants(at), "me", "", 5)
      assert(condition(save(3)) == "HUDILITE_SNAPSHOT_EXPIRED")
      assert(save(5).isNew)
    }
  }

  test("a clean executes a plan that names log files, but not those of the latest slices") {
    each { table =>
      val (places, _) = grown(table)
      val cleans = new Cleans(table.files)
      table.log.request(Cleans.action, cleans.record(Cleans.Plan("", "", "", places)))
      val done = cleaner(table).run(Retention(99, 0))
      assert(done.deleted.map(_.place).toSet == (places.toSet - places(2)))
      assert(logs(table) == Set(places(2)) && bases(table).size == 4)
    }
  }

  test("a slice without a base, and log files of a planned compaction, are left alone") {
    use(TableVersion.Six) { table =>
      val instant = table.merge(1)(_ => "a").instant
      table.merge(1)(_ + "b"): Unit
      val planned = "29990101000000000"
      val alone = put(table, LogFileName("b", instant, 1, "0-1-0").text, BlockBytes.data(instant))
      val next = put(table, LogFileName(sliceOf(table, 1).fileId, planned, 1, "0-1-0").text,
        BlockBytes.data(planned))
      table.files.create(Instant(planned, "compaction", Instant.Requested)): Unit
      new Savepoints(table.files).create(table.config, table.snapshot.instants.last, "me", "", 5)
      assert(new Savepoints(table.files).files().contains(alone))
      cleaner(table).run(last)
      assert(logs(table) == Set(alone, next) && bases(table).size == 1)
    }
  }

  test("log files of a hidden file group go, and until then its replacecommit stays") {
    each { table =>
      table.merge(1, 2)(_ => "a")
      val log = append(table, 1)().place
      val fileId = sliceOf(table, 1).fileId
      val base = at(table, sliceOf(table, 1).place)
      val snapshot = table.snapshot
      val write = table.log.begin(snapshot.base, Instant.replaceCommit)
      val made = TestTable.metadata(Nil)
        .copy(replacedFileIds = Map(table.partition -> Seq(fileId)))
      val hiding = write.commit(made, made.fileGroups).instant
      (1 to 5).foreach(n => table.merge(2)(_ + n.toString))
      LocalStorage.delete(base): Unit
      val stopped = archiver(table).run(limits)
      assert(stopped.commits.forall(_.time < hiding))
      assert(stopped.stoppedBy.exists(_.contains(hiding)))
      assert(cleaner(table).run(last).deleted.exists(_.place == log) && logs(table).isEmpty)
      assert(archiver(table).run(limits).commits.map(_.time).contains(hiding))
    }
  }

  test("a restore deletes the log files of the commits that it undoes") {
    each { table =>
      val first = table.merge(1, 2)(_ => "a").instant
      val kept = append(table, 1)()
      val lost = Seq(append(table, 1)(), append(table, 2)())
      val based = table.merge(1)(_ + "b").instant
      val late = append(table, 1)().place
      val gone = lost.map(_.place).toSet + late
      val looked = restore(table).look(kept.instant)
      assert(looked.deleted.toSet.filter(logs(table)) == gone && logs(table).size == 4)
      assert(looked.deleted.exists(_.contains(based)))
      val done = restore(table).run(kept.instant)
      assert(done.deleted.toSet == looked.deleted.toSet && logs(table) == Set(kept.place))
      assert(table.snapshot.instants == Seq(first, kept.instant) && bases(table).size == 2)
      val again = append(table, 1)().place
      assert(logs(table) == Set(kept.place, again))
      assert(sliceOf(table, 1).logs.map(_.path.getName) == names(kept.place, again).toSeq.sorted)
    }
  }

  test("version 6: a log file with blocks of a commit that stays refuses the restore") {
    use(TableVersion.Six) { table =>
      table.merge(1)(_ => "a")
      val kept = append(table, 1)()
      val mixed = append(table, 1)(time =>
        Seq(BlockBytes.data(kept.instant, 1), BlockBytes.data(time, 2))
      )
      val before = (logs(table), Timeline.named(table.files).instants)
      Seq(restore(table).look(_), restore(table).run(_)).foreach { undo =>
        val e = intercept[HudiliteException](undo(kept.instant))
        assert(e.condition == "HUDILITE_UNSUPPORTED_TABLE" && e.getMessage.contains(mixed.place))
        assert(e.getMessage.contains("rollback_to_savepoint"))
      }
      assert((logs(table), Timeline.named(table.files).instants) == before)
      val first = table.snapshot.instants.head
      assert(restore(table).run(first).deleted.toSet == Set(kept.place, mixed.place))
    }
  }

  test("version 6: a restore reads log files of more than 64 MiB") {
    use(TableVersion.Six) { table =>
      table.merge(1)(_ => "a")
      val kept = append(table, 1)(time => Seq(BlockBytes.zeros(time, 65 << 20)))
      val lost = append(table, 1)()
      assert(restore(table).run(kept.instant).deleted == Seq(lost.place))
      assert(logs(table) == Set(kept.place))
    }
  }

  test("a restore that ends at any operation is finished by the next, log files included") {
    Seq(TableVersion.Six, TableVersion.Nine).foreach { version =>
      val stopped = Rotation.numbers.map(n => use(version)(stopAt(_, n))).takeWhile(identity).size
      assert(stopped >= Rotation.least(16))
    }
  }

  /** @return whether it stopped there; false behind its last operation */
  private def stopAt(table: TestTable, operation: Int): Boolean = {
    val first = table.merge(1, 2)(_ => "a").instant
    append(table, 1)(): Unit
    append(table, 2)(): Unit
    table.merge(1)(_ + "b"): Unit
    append(table, 1)(): Unit
    val plan = FaultPlan.parse(s"*:.:$operation:stop")
    val mortal = new TestTable(table.base, FaultStorage.over(LocalStorage, plan))
    val isStopped = Try(restore(mortal).run(first)).isFailure
    restore(table).run(first): Unit
    assert(logs(table).isEmpty && bases(table).size == 2, s"after $operation")
    assert(table.snapshot.instants == Seq(first), s"after $operation")
    append(table, 1)(): Unit
    isStopped
  }

  test("a compaction that is undone is not planned any more") {
    each { table =>
      val first = table.merge(1)(_ => "a").instant
      val compacted = table.merge(1)(_ + "b").instant
      Seq(Instant.Requested, Instant.Inflight).foreach { state =>
        table.files.create(Instant(compacted, "compaction", state))
        table.files.delete(Instant(compacted, Instant.commit, state))
      }
      restore(table).run(first)
      assert(!Timeline.named(table.files).isKnown(compacted))
    }
  }

  /** Returns an instant after all others that has no file on the timeline. */
  private def takeInstant(table: TestTable): String = {
    val instant = table.log.begin(table.snapshot.base, Instant.deltaCommit).instant
    Seq(Instant.Inflight, Instant.Requested)
      .foreach(state => table.files.delete(Instant(instant, Instant.deltaCommit, state)))
    Thread.sleep(
      2
    ) // the next write has another instant, though the timeline does not contain this one
    instant
  }

  /** A table with a compaction of stock Hudi, a log compaction, and commits after them. */
  private def compacted(table: TestTable): Seq[String] = {
    table.merge(1)(_ => "a")
    append(table, 1)()
    def stock(instant: String, planned: String, action: String): String = {
      val plan = if (planned == "compaction") StockCommits.compactionPlan else Array.emptyByteArray
      table.files.create(Instant(instant, planned, Instant.Requested), plan)
      table.files.create(Instant(instant, planned, Instant.Inflight))
      Seq(Instant.Requested, Instant.Inflight)
        .foreach(state => table.files.delete(Instant(instant, action, state)))
      instant
    }
    val first = stock(table.merge(1)(_ + "b").instant, "compaction", Instant.commit)
    val second = stock(append(table, 1)().instant, "logcompaction", Instant.deltaCommit)
    Seq(first, second)
  }

  test("deltacommits and compactions are archived with all of their states") {
    each { table =>
      val stock = compacted(table)
      (1 to 5).foreach(_ => append(table, 1)())
      val rows = (table.rows(), sliceOf(table, 1).logs.map(_.path))
      val done = archiver(table).run(limits)
      assert(done.stoppedBy.isEmpty && stock.forall(done.commits.map(_.time).contains))
      assert((table.rows(), sliceOf(table, 1).logs.map(_.path)) == rows)
      assert(!Timeline.named(table.files).instants.exists(i => stock.contains(i.time)))
      val archived = ArchivedActions.of(table.files).filter(of => stock.contains(of._1)).toSet
      val ended = Set((stock.head, "commit", "COMPLETED"), (stock(1), "deltacommit", "COMPLETED"))
      val begun = for {
        (time, action) <- stock.zip(Seq("compaction", "logcompaction"))
        state <- Seq("REQUESTED", "INFLIGHT")
      } yield (time, action, state)
      val isSix = table.config.version == TableVersion.Six
      assert(archived == (if (isSix) ended ++ begun else ended))
      assert(ArchivedActions.plans(table.files) == Seq(stock.head))
    }
  }

  test("a planned compaction keeps the commit before it") {
    each { table =>
      val before = (1 to 2).map(_ => table.merge(1)(_ => "a").instant)
      table.files.create(Instant(takeInstant(table), "compaction", Instant.Requested)): Unit
      (1 to 5).foreach(_ => append(table, 1)())
      val stopped = archiver(table).run(limits)
      assert(stopped.commits.map(_.time) == before.take(1))
      assert(stopped.stoppedBy.exists(_.contains("compaction")))
    }
  }

  test("commits after an instant that was never completed stay while it has a block") {
    each { table =>
      table.merge(1)(_ => "a")
      val dead = takeInstant(table)
      val left = put(table, nextName(table, 1, dead), BlockBytes.data(dead))
      (1 to 6).foreach(_ => append(table, 1)())
      val stopped = archiver(table).run(limits)
      assert(stopped.commits.isEmpty && stopped.stoppedBy.exists(_.contains(dead)))
      assert(stopped.stoppedBy.exists(_.contains(left)))
      if (table.config.version == TableVersion.Six) {
        put(table, nextName(table, 1, dead), BlockBytes.rollback(dead, dead)): Unit
      } else LocalStorage.delete(at(table, left)): Unit
      assert(archiver(table).run(limits).commits.nonEmpty)
    }
  }

  test("a table with log files does not change its layout, and without them it does") {
    Seq(TableVersion.Six -> TableVersion.Nine, TableVersion.Nine -> TableVersion.Six).foreach {
      case (from, to) => use(from) { table =>
          table.merge(1)(_ => "a")
          val log = append(table, 1)().place
          def change() = new VersionChange(table.files, table.log, ZoneOffset.UTC).run(to)
          table.merge(1)(_ + "b")
          val e = intercept[HudiliteException](change())
          assert(e.condition == "HUDILITE_UNSUPPORTED_TABLE" && e.getMessage.contains(log))
          assert(e.getMessage.contains("CALL compact("))
          assert(table.config.version == from)
          cleaner(table).run(last)
          assert(change().isChanged)
          val changed = new TestTable(table.base)
          assert(changed.config.version == to && changed.rows() == Map(1 -> "ab"))
        }
    }
  }

  test("versions 8 and 9 have the same names of log files") {
    use(TableVersion.Nine) { table =>
      table.merge(1)(_ => "a")
      append(table, 1)()
      assert(new VersionChange(table.files, table.log, ZoneOffset.UTC)
        .run(TableVersion.Eight).isChanged)
      val changed = new TestTable(table.base)
      assert(sliceOf(changed, 1).logs.size == 1)
    }
  }
}
