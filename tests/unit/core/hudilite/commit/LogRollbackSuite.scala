package hudilite.commit

import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.{BaseFileName, BlockBytes, LogFileName, TableVersion}
import hudilite.io.{LocalStorage, TempFolder}
import hudilite.timeline.Timeline
import hudilite.view.LogTable.{append, at, begin, each, logs, nextName, put, sliceOf, use}
import hudilite.view.TestTable

/** Pending deltacommits go with their base and log files, and with nothing else. */
class LogRollbackSuite extends AnyFunSuite {
  private val lost = "29990101000000000"

  private def rollback(table: TestTable): Rollback =
    new Rollback(table.files, table.log, () => System.currentTimeMillis)

  private def marker(table: TestTable, place: String): Unit =
    TempFolder.write(at(table, s".hoodie/.temp/$lost/$place.marker.APPEND"), "")

  private def files(table: TestTable): Set[String] =
    TempFolder.names(at(table, table.partition)).map(name => s"${table.partition}/$name")

  /** A table with a committed log file, and the files of a deltacommit that was not completed.
    * @return the files of the deltacommit */
  private def table(table: TestTable): Seq[String] = {
    table.merge(1, 2)(_ => "kept")
    append(table, 1)(): Unit
    begin(table, lost)
    val base = s"p=a/${BaseFileName("00000007-aaaa-bbbb-cccc-dddddddddddd-0", "0-1-1", lost).text}"
    TempFolder.write(at(table, base), "?")
    val log = put(table, nextName(table, 1, lost), BlockBytes.data(lost, 1))
    val alone = put(table,
      LogFileName("00000008-aaaa-bbbb-cccc-dddddddddddd-0", lost, 1, "0-1-0")
        .text,
      BlockBytes.data(lost, 2))
    Seq(base, log, alone)
  }

  test("base and log files of a deltacommit go, by its markers or by a search") {
    Seq(true, false).foreach { areMarked =>
      each { table =>
        val own = this.table(table)
        val kept = files(table) -- own
        if (areMarked) own.foreach(marker(table, _))
        val done = rollback(table).rollBack(lost)
        assert(done.map(_.deleted.toSet) == Right(own.toSet), s"marked: $areMarked")
        assert(files(table) == kept && !Timeline.named(table.files).isKnown(lost))
        assert(rollback(table).rollBack(lost).map(_.deleted) == Right(Nil))
        assert(sliceOf(table, 1).logs.size == 1 && append(table, 1)().place.nonEmpty)
      }
    }
  }

  test("a file to which only a part of a block was written goes, if a marker names it") {
    use(TableVersion.Six) { table =>
      val own = this.table(table)
      val torn = put(table, nextName(table, 2, lost), BlockBytes.data(lost, 1).take(20))
      (own :+ torn).foreach(marker(table, _))
      assert(rollback(table).rollBack(lost).map(_.deleted.toSet) == Right(own.toSet + torn))
    }
  }

  test("log files of other pending commits, and a marked one that was not written to, stay") {
    use(TableVersion.Six) { table =>
      val own = this.table(table)
      val other = put(table, nextName(table, 2, lost), BlockBytes.data("29990101000000001", 1))
      val committed = (logs(table) -- own - other).head
      Seq(false, true).foreach { areMarked =>
        begin(table, lost)
        if (areMarked) Seq(committed, other).foreach(marker(table, _))
        assert(rollback(table).rollBack(lost).isRight)
        assert(logs(table) == Set(committed, other))
      }
    }
  }

  test("version 6: a log file that has blocks of other instants refuses the rollback") {
    Seq(true, false).foreach { areMarked =>
      use(TableVersion.Six) { table =>
        val own = this.table(table)
        val committed = (logs(table) -- own).head
        val path = at(table, committed)
        LocalStorage.replace(path, LocalStorage.read(path) ++ BlockBytes.data(lost, 3))
        if (areMarked) (own :+ committed).foreach(marker(table, _))
        val before = (files(table), Timeline.named(table.files).instants)
        assert(rollback(table).rollBack(lost) == Left(Rollback.IsShared))
        assert(Rollback.IsShared.reason.contains("stock Hudi rolls it back"))
        assert(rollback(table).rollBackOlderThan(0).isEmpty)
        assert((files(table), Timeline.named(table.files).instants) == before)
      }
    }
  }

  test("late files of a deltacommit that was rolled back go with their markers") {
    use(TableVersion.Six) { table =>
      val own = this.table(table)
      assert(rollback(table).rollBack(lost).isRight)
      val late = put(table, nextName(table, 1, lost), BlockBytes.data(lost, 1))
      marker(table, late)
      assert(own.nonEmpty && rollback(table).rollBackOlderThan(0).isEmpty)
      assert(!logs(table)(late) && logs(table).size == 1)
    }
  }
}
