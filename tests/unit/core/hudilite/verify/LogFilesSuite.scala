package hudilite.verify

import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.{BaseFileName, BlockBytes, TableVersion}
import hudilite.io.LocalStorage
import hudilite.timeline.Instant
import hudilite.view.LogTable.{append, at, each, nextName, put, use}
import hudilite.view.TestTable

/** Checks of log files, and the search for those that no reader needs. */
class LogFilesSuite extends AnyFunSuite {
  private val never = Long.MaxValue

  private def found(table: TestTable): Seq[(String, String)] =
    TableCheck.run(table.files, files = true).findings
      .map(f => f.code -> BaseFileName.last(f.path))

  private def orphans(table: TestTable): Set[String] =
    Orphans.find(table.files, table.config, never).map(_.file.place).toSet

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

  /** Puts a log file with a block of a writer that has left nothing else. */
  private def dead(table: TestTable, bucket: Int): (String, String) = {
    val instant = takeInstant(table)
    instant -> put(table, nextName(table, bucket, instant), BlockBytes.data(instant, 1))
  }

  /** Checks the log files of bucket 1. */
  private def logCheck(table: TestTable): LogCheck.Result = {
    val loaded = TableCheck.run(table.files, files = true).table.get
    val slice = loaded.slices.find(_.slice.fileId.startsWith("00000001")).get
    val isOfVersion6 = table.config.version == TableVersion.Six
    new LogCheck(slice, loaded.snapshot.view, loaded.known, isOfVersion6)
      .run(log => LocalStorage.read(log.path))
  }

  private def codes(result: LogCheck.Result) = result.findings.map(_.code)

  test("a table with log files of commits has no finding and no orphan") {
    each { table =>
      table.merge(1, 2)(_ => "a")
      Seq(1, 1, 2).foreach(append(table, _)())
      table.merge(1)(_ + "b")
      append(table, 1)()
      assert(found(table).isEmpty && orphans(table).isEmpty)
      val result = logCheck(table)
      assert(result.findings.isEmpty && result.blocks.map(_._2.size) == Seq(1))
    }
  }

  test("log files of a dead writer are stray, of a running one pending, and of commits neither") {
    each { table =>
      table.merge(1, 2)(_ => "a")
      val kept = append(table, 1)()
      val (_, stray) = dead(table, 1)
      val running = table.log.begin(table.snapshot.base, Instant.deltaCommit).instant
      val pending = put(table, nextName(table, 2, running), BlockBytes.data(running, 1))
      assert(found(table).filter(_._1 != "INSTANT_PENDING").toSet ==
        Set("STRAY_FILE" -> BaseFileName.last(stray), "PENDING_FILE" -> BaseFileName.last(pending)))
      assert(orphans(table) == Set(stray))
      assert(Orphans.find(table.files, table.config, 1L).isEmpty)
      val all = Orphans.find(table.files, table.config, never)
      assert(Orphans.remove(table.files, all).map(_.file.place) == Seq(stray))
      assert(Seq(kept.place, pending).forall(p => LocalStorage.status(at(table, p)).nonEmpty))
    }
  }

  test("version 6: a log file with a block of a commit that does not list it is no orphan") {
    use(TableVersion.Six) { table =>
      table.merge(1)(_ => "a")
      val named = append(table, 1)()
      val lost = takeInstant(table)
      val mixed = put(table, nextName(table, 1, ""), BlockBytes.data(lost, 1),
        BlockBytes.data(named.instant, 2))
      assert(orphans(table).isEmpty && found(table).isEmpty)
      val result = logCheck(table)
      assert(codes(result).toSet == Set("FILE_NOT_IN_COMMIT", "BLOCK_NOT_COMMITTED"))
      assert(result.findings.forall(f => f.path == mixed && f.severity == "WARNING"))
    }
  }

  test("version 6: a rollback stays as long as a log file has blocks of its target") {
    use(TableVersion.Six) { table =>
      table.merge(1)(_ => "a")
      append(table, 1)()
      val (target, stray) = dead(table, 1)
      val rollback =
        put(table, nextName(table, 1, ""), BlockBytes.rollback(takeInstant(table), target))
      assert(orphans(table) == Set(stray))
      Orphans.remove(table.files, Orphans.find(table.files, table.config, never))
      assert(orphans(table) == Set(rollback))
      Orphans.remove(table.files, Orphans.find(table.files, table.config, never))
      assert(orphans(table).isEmpty)
    }
  }

  test("version 6: an empty log file is an orphan, one whose blocks cannot be read is not") {
    use(TableVersion.Six) { table =>
      table.merge(1)(_ => "a")
      val empty = put(table, nextName(table, 1, ""))
      val cut = put(table, nextName(table, 1, ""), BlockBytes.data("20990101000000000", 1).take(20))
      assert(orphans(table) == Set(empty))
      assert(logCheck(table).findings.map(f => f.code -> f.path) == Seq("LOG_PART_LEFT" -> cut))
    }
  }

  test("a log file of a commit that is cut, gone or garbled is a finding") {
    each { table =>
      table.merge(1, 2)(_ => "a")
      val log = append(table, 1)()
      val bytes = LocalStorage.read(at(table, log.place))
      def replace(content: Array[Byte]) = {
        LocalStorage.delete(at(table, log.place))
        LocalStorage.createNew(at(table, log.place), content)
      }
      val name = BaseFileName.last(log.place)
      replace(bytes.dropRight(3))
      assert(found(table) == Seq("LENGTH_DIFFERS" -> name) && orphans(table).isEmpty)
      assert(codes(logCheck(table)) == Seq("LOG_DAMAGED"))
      replace(Array.fill(bytes.length)(1.toByte))
      assert(found(table).isEmpty && orphans(table).isEmpty)
      assert(codes(logCheck(table)) == Seq("LOG_DAMAGED"))
      LocalStorage.delete(at(table, log.place))
      assert(found(table) == Seq("FILE_MISSING" -> name))
    }
  }
}
