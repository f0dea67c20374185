package hudilite.service

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.CommitResult
import hudilite.error.HudiliteException
import hudilite.io.{Storage, TempFolder}
import hudilite.timeline.{TimelineArchive, TimelineFiles}
import hudilite.view.TestTable.{use, useVersion9}
import hudilite.view.{ChangesBetween, Increment, LoadCost, LongHistory, TestTable}

/** The file slices that are compared between two states, and the cost of reading a long range. */
class ChangesBetweenSuite extends AnyFunSuite {

  private def grown(table: TestTable, commits: Int): Seq[CommitResult] =
    (1 to commits).map(n => table.merge(1, n % 3 + 2)(_ + n.toString))

  private def between(table: TestTable, from: Option[String], to: Option[String] = None) =
    ChangesBetween.of(table.files, table.config, from, to)

  private def archive(table: TestTable): Unit =
    new Archiver(table.files, table.config, table.log, None, () => System.currentTimeMillis)
      .run(ActiveLimits(3, 4)): Unit

  private def clean(table: TestTable, kept: Int): Unit =
    new Cleaner(table.files, table.config, table.log, () => System.currentTimeMillis)
      .run(Retention(kept, 0)): Unit

  private def firstOf(body: => Any): (String, String) = {
    val fault = intercept[HudiliteException](body)
    assert(fault.condition == "HUDILITE_CHANGES_EXPIRED", fault)
    (fault.parameters("from"), fault.parameters("first"))
  }

  test("from the earliest commit on, a whole history is told commit by commit") {
    use { table =>
      val commits = grown(table, 4)
      val changes = between(table, None)
      assert(changes.instants == commits.map(_.instant))
      assert(changes.steps.map(_.instants) == commits.map(c => Seq(c.instant)))
      assert(changes.steps.head.before.all.isEmpty && changes.steps.head.before.seen.isEmpty)
      assert(changes.steps.map(_.after.all.size) == Seq.fill(4)(2))
      assert(changes.steps.last.before.all.size == 2)
    }
  }

  test("after an archival the earliest state comes first, with all its rows") {
    use { table =>
      val commits = grown(table, 8)
      archive(table)
      val active = table.snapshot.instants
      assert(active.size < commits.size)
      val changes = between(table, None)
      assert(changes.steps.map(_.instants) == active.map(Seq(_)))
      val first = changes.steps.head
      assert(first.after.all.size == 4 && first.before.all.isEmpty)
      assert(changes.steps(1).after.all.size == 2)
      assert(firstOf(between(table, Some(commits.head.instant))) ==
        (commits.head.instant, active.head))
      assert(between(table, Some(active.head)).steps.size == active.size - 1)
    }
  }

  /** Archives as stock Hudi does beyond a commit with a savepoint. */
  private def archiveBeyond(table: TestTable, instant: String): Unit = {
    val folder = TempFolder.local(table.files.folder)
    val kept = TempFolder.local(Storage.resolve(table.base, ".hoodie/kept"))
    val names = table.files.list().filter(_._1.time == instant).map(_._2.name)
    new Savepoints(table.files).create(table.config, instant, "us", "", 0)
    val all = table.files.list().filter(_._1.time == instant).map(_._2.name)
    Files.createDirectories(kept)
    all.foreach(name => Files.move(folder.resolve(name), kept.resolve(name)))
    assert(names.size < all.size)
    archive(table)
    all.foreach(name => Files.move(kept.resolve(name), folder.resolve(name)))
  }

  Seq[(String, (TestTable => Unit) => Unit)]("6" -> use, "9" -> useVersion9).foreach {
    case (version, using) =>
      test(s"what was archived beyond a savepoint has no changes, in version $version") {
        using { table =>
          val saved = grown(table, 8).head.instant
          archiveBeyond(table, saved)
          val active = table.snapshot.instants
          assert(active.head == saved && active.size < 8)
          assert(firstOf(between(table, Some(saved))) == (saved, active(1)))
          assert(between(table, Some(active(1))).steps.size == active.size - 2)
          assert(between(table, None, Some(saved)).steps.map(_.instants) == Seq(Seq(saved)))
          val changes = between(table, None)
          assert(changes.steps.map(_.instants) == active.tail.map(Seq(_)))
          assert(changes.steps.head.after.all.size == 4 && changes.steps.head.before.all.isEmpty)
        }
      }

      test(s"a restore undoes nothing that was archived beyond a savepoint, in version $version") {
        using { table =>
          val saved = grown(table, 8).head.instant
          archiveBeyond(table, saved)
          val (next, rows) = (table.snapshot.instants(1), table.rows())
          val restore = new Restore(table.files, table.config, table.log, () => 0L)
          val refused = intercept[HudiliteException](restore.run(saved))
          assert(refused.condition == "HUDILITE_UNSUPPORTED_TABLE" && table.rows() == rows)
          assert(restore.run(next).lost.nonEmpty && table.snapshot.instants.last == next)
        }
      }

      test(s"rows of what was archived beyond a savepoint are in a range, in version $version") {
        using { table =>
          val commits = grown(table, 8).map(_.instant)
          val saved = commits.head
          archiveBeyond(table, saved)
          val next = table.snapshot.instants(1)
          def range(begin: String, end: Option[String] = None) =
            Increment.of(table.files, table.config, begin, end)
          assert(range(saved).archived.contains(saved -> next))
          assert(range(saved).slices.size == 4)
          assert(range("0").archived.contains("0" -> next))
          assert(range("0", Some(saved)).archived.contains("0" -> saved))
          assert(range(saved, Some(saved)).archived.isEmpty && range(next).archived.isEmpty)
          val ended = intercept[HudiliteException](range("0", Some(commits(1))))
          assert(ended.condition == "HUDILITE_VERSION_NOT_FOUND")
        }
      }
  }

  test("archived writes between two instants are found in every file of the archive") {
    use { table =>
      val earlier = grown(table, 8).map(_.instant)
      archive(table)
      val commits = earlier ++ grown(table, 8).map(_.instant)
      archive(table)
      val gone = commits.takeWhile(_ < table.snapshot.instants.head)
      assert(gone.size > earlier.size)
      def writes(after: String, before: String) =
        TimelineArchive.writes(table.files, table.config, after, before)
      assert(writes(gone.head, commits.last) == gone.tail.toSet)
      assert(writes(gone(1), gone.last) == gone.slice(2, gone.size - 1).toSet)
      assert(writes(gone.last, commits.last).isEmpty)
    }
  }

  test("a savepoint that stopped an archival leaves the changes after it whole") {
    use { table =>
      val commits = grown(table, 8).map(_.instant)
      new Savepoints(table.files).create(table.config, commits(2), "us", "", 0)
      archive(table)
      assert(table.snapshot.instants == commits.drop(2))
      assert(between(table, Some(commits(2))).steps.size == 5)
      assert(Increment.of(table.files, table.config, commits(2), None).archived.isEmpty)
    }
  }

  test("after a clean the changes begin where all files are there") {
    use { table =>
      val commits = grown(table, 6).map(_.instant)
      clean(table, 3)
      val changes = between(table, None)
      assert(changes.steps.map(_.instants) == commits.drop(3).map(Seq(_)))
      assert(changes.steps.head.after.all.size == 4)
      assert(firstOf(between(table, Some(commits(0)))) == (commits(0), commits(3)))
      assert(firstOf(between(table, Some(commits(2)))) == (commits(2), commits(3)))
      assert(between(table, Some(commits(3))).steps.size == 2)
    }
  }

  test("a table without commits has no changes") {
    use { table =>
      table.config: Unit
      assert(between(table, None) == ChangesBetween(Nil, None, Nil))
    }
  }

  test("a commit of the range costs one call of the storage") {
    def calls(commits: Int): Int = TempFolder.use { dir =>
      val history = new LongHistory(dir, 0)
      (1 to commits).foreach(_ => history.commit())
      val counted = new LoadCost.Counted
      val files = TimelineFiles.of(counted.storage, history.base)
      assert(ChangesBetween.of(files, files.config(), None, None).steps.size == commits)
      counted.cost.calls
    }
    val (few, many) = (calls(20), calls(100))
    assert(many - few == 80, s"$few for 20, $many for 100")
  }
}
