package hudilite.commit

import java.util.concurrent.atomic.AtomicBoolean

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.Rotation
import hudilite.error.HudiliteException
import hudilite.io.{FileEntry, LocalStorage, PagedStorage, Storage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.timeline.{ListedTwice, TimelineFiles}
import hudilite.view.{Checkpoints, TableSnapshot, TestTable}

/** Loads and commits in a storage that lists a folder page by page: they list the latest numbers
  * alone. */
class RecentNumbersSuite extends AnyFunSuite {
  private val commits = ".hoodie/.hudilite/commits"
  private val recent = ".hoodie/.hudilite-recent"
  private val buckets = 3

  private def at(table: TestTable, path: String): Path = Storage.resolve(table.base, path)
  private def names(table: TestTable): Set[String] = TempFolder.names(at(table, recent))
  private def opened(table: TestTable, storage: Storage = new PagedStorage().storage): TestTable =
    new TestTable(table.base, storage)

  private def commit(table: TestTable, n: Int): CommitResult = {
    val result = table.merge(n % buckets)(_ + s"$n ")
    Checkpoints.afterCommit(table.files, table.config, result.number)
    result
  }

  private def rowsOf(commits: Int): Map[Int, String] =
    (1 to commits).groupBy(_ % buckets).map { case (bucket, ns) =>
      bucket -> ns.map(n => s"$n ").mkString
    }

  /** A table after some commits, in a storage that lists page by page. */
  private def grown[A](commits: Int)(test: (TestTable, PagedStorage) => A): A =
    TempFolder.use { dir =>
      val paged = new PagedStorage
      val table = new TestTable(Storage.resolve(dir, "t"), paged.storage)
      (1 to commits).foreach(commit(table, _))
      paged.told(): Unit
      test(table, paged)
    }

  private def listed(paged: PagedStorage): Seq[String] =
    paged.told().collect { case ("list" | "names", folder) => folder }

  /** Looks the same through the names as through all numbers, and the next commit follows. */
  private def check(table: TestTable, commits: Int, clue: String): Unit = {
    assert(opened(table).rows() == rowsOf(commits), clue)
    assert(opened(table, LocalStorage).rows() == rowsOf(commits), clue)
    assert(commit(opened(table), commits + 1).number == commits + 1, clue)
    assert(opened(table).rows() == rowsOf(commits + 1), clue)
    assert(opened(table, LocalStorage).rows() == rowsOf(commits + 1), clue)
  }

  test("neither a load nor a commit of a long history lists all numbers") {
    grown(43) { (table, paged) =>
      assert(table.rows() == rowsOf(43))
      assert(!listed(paged).contains("commits"))
      assert(commit(table, 44).number == 44)
      val folders = listed(paged)
      assert(folders.contains(".hudilite-recent") && !folders.contains("commits"))
      assert(names(table).size == 44 - 30 + 1 + 2, "the numbers from 30 on, and two checkpoints")
    }
  }

  test("a load whose timeline is quiet looks for no number") {
    grown(43) { (table, paged) =>
      assert(table.rows() == rowsOf(43))
      val numbers = paged.told().filter(_._2.matches("[0-9]{20}"))
      assert(numbers.isEmpty)
    }
  }

  test("a short history has no names of its own") {
    TempFolder.use { dir =>
      val long = new TestTable(Storage.resolve(dir, "a"), new PagedStorage(page = 1000).storage)
      val local = new TestTable(Storage.resolve(dir, "b"))
      Seq(long, local).foreach { table =>
        (1 to 21).foreach(commit(table, _))
        assert(names(table).isEmpty && table.rows() == rowsOf(21))
      }
    }
  }

  test("a number without a name is found") {
    grown(40) { (table, _) =>
      val plain = opened(table, LocalStorage)
      (41 to 43).foreach(commit(plain, _))
      check(table, 43, "commits by a process that does not write the names")
    }
    grown(43) { (table, _) =>
      val gap = names(table).find(_.startsWith(f"${41}%020d-")).get
      LocalStorage.delete(at(table, s"$recent/$gap"))
      check(table, 43, "a gap")
    }
  }

  test("a number whose commit is not published counts, with and without a name") {
    Seq(true, false).foreach { named =>
      grown(43) { (table, _) =>
        val last = table.snapshot.lastInstant.get
        LocalStorage.delete(at(table, s".hoodie/$last.commit"))
        if (!named) LocalStorage.delete(at(table, s"$recent/${f"${43}%020d"}-$last"))
        assert(opened(table).snapshot.instants.contains(last), named)
        check(table, 43, s"unpublished, named: $named")
      }
    }
  }

  test("a rollback whose number has no name is seen") {
    grown(43) { (table, _) =>
      val started = table.start(table.snapshot, Seq(1))(_ + "lost ")
      val plain = opened(table, LocalStorage)
      assert(plain.log.rollback.rollBack(started.transaction.instant).isRight)
      val fault = intercept[HudiliteException](started.commit())
      assert(fault.condition == "HUDILITE_WRITE_ROLLED_BACK")
      assert(opened(table).rows() == rowsOf(43))
      assert(opened(table).merge(0)(_ + "44 ").number == 45)
    }
  }

  test("names that are stale, damaged, ahead or of another table are ignored") {
    val damages = Seq[(String, TestTable => Unit)](
      "no names" -> (t => LocalStorage.deleteTree(at(t, recent)): Unit),
      "strange names" -> { t =>
        Seq("x", "00000000000000000099", s"${f"${42}%020d"}-x", "99999999999999999999.checkpoint",
          "08888888888888888888-20990101000000000")
          .foreach(name => TempFolder.write(at(t, s"$recent/$name"), "strange"))
      },
      "ahead" -> { t =>
        TempFolder.write(at(t, s"$recent/${f"${99}%020d"}-20990101000000000"), "")
        TempFolder.write(at(t, s"$recent/${f"${99}%020d"}.checkpoint"), "")
      },
      "one ahead" -> { t =>
        TempFolder.write(at(t, s"$recent/${f"${44}%020d"}-20990101000000000"), "")
      },
      "a checkpoint ahead" -> { t =>
        val file = at(t, s"$commits/${f"${40}%020d"}.checkpoint")
        val text = TempFolder.text(file).replace("\"number\" : 40", "\"number\" : 90")
        TempFolder.write(at(t, s"$commits/${f"${90}%020d"}.checkpoint"), text)
        TempFolder.write(at(t, s"$recent/${f"${90}%020d"}.checkpoint"), "")
      },
      "checkpoints that are cut" -> { t =>
        TempFolder.names(at(t, commits)).filter(_.endsWith(".checkpoint")).foreach { name =>
          val file = at(t, s"$commits/$name")
          TempFolder.write(file, TempFolder.text(file).dropRight(40))
        }
      },
      "the newest checkpoint is gone" -> { t =>
        LocalStorage.delete(at(t, s"$commits/${f"${40}%020d"}.checkpoint")): Unit
      },
      "only old names" -> { t =>
        names(t).filter(_ > f"${31}%020d").foreach(n => LocalStorage.delete(at(t, s"$recent/$n")))
      }
    )
    damages.foreach { case (clue, damage) =>
      grown(43) { (table, _) =>
        damage(table)
        check(table, 43, clue)
      }
    }
    grown(43) { (table, _) =>
      val other = new TestTable(Storage.resolve(table.base.getParent, "u"))
      (1 to 5).foreach(commit(other, _))
      LocalStorage.deleteTree(at(other, recent)): Unit
      names(table).foreach(n => TempFolder.write(at(other, s"$recent/$n"), ""))
      check(other, 5, "of another table")
    }
  }

  test("a table that replaces another one at its place does not take over its numbers") {
    TempFolder.use { dir =>
      val base = Storage.resolve(dir, "t")
      val paged = new PagedStorage
      (1 to 23).foreach(commit(new TestTable(base, paged.storage), _))
      LocalStorage.deleteTree(base): Unit
      val again = new TestTable(base, paged.storage)
      (1 to 14).foreach(n => assert(commit(again, n).number == n))
      assert(again.rows() == rowsOf(14))
    }
  }

  test("a commit that a listing of several pages shows does not come without the one before it") {
    grown(3) { (table, _) =>
      val first = table.snapshot.instants(1)
      Seq(LocalStorage, new PagedStorage(page = 1000).storage).foreach { plain =>
        val torn = opened(table, new Torn(s"$first.commit", plain.longListing))
        assert(torn.snapshot.instants == table.snapshot.instants)
      }
    }
  }

  /** A storage whose first listing of the metadata folder lacks a file, as one of several pages may. */
  private final class Torn(missing: String, override val longListing: Int)
      extends ListedTwice {
    private val isFirst = new AtomicBoolean(true)

    override def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] = {
      val all = super.list(dir, detailed)
      if (dir.getName == ".hoodie" && isFirst.getAndSet(false)) all.filterNot(_.name == missing)
      else all
    }
  }

  // F01, F05, F06, F07
  test("a fault at any call of the storage leaves the state before or after") {
    Rotation.third(Seq("throw", "throwAfter", "stop")).foreach { action =>
      val found = Iterator.from(1).map(k => struck(s"*:.*:$k:$action")).takeWhile(_.nonEmpty)
        .flatten.toSet
      assert(found == Set(10, 11, 12), action)
    }
  }

  /** Runs two commits, of which the second stores a checkpoint, with one fault.
    * @return number of the commits that are there afterwards, None if nothing was struck */
  private def struck(fault: String): Option[Int] = grown(10) { (table, _) =>
    val plan = FaultPlan.parse(fault)
    val broken = opened(table, FaultStorage.over(new PagedStorage().storage, plan))
    val failed = Try {
      commit(broken, 11)
      broken.merge(12 % buckets)(_ + "12 ")
      TableSnapshot.load(broken.files, broken.config).storeCheckpoint()
    }.isFailure
    val found = opened(table).rows()
    val state = (10 to 12).find(rowsOf(_) == found)
    assert(state.nonEmpty && opened(table, LocalStorage).rows() == found, fault)
    assert(failed || state.contains(12), fault)
    val next = opened(table)
    (1 to 2).foreach(_ => next.merge(0)(_ + "z"))
    val expected = found + (0 -> (found(0) + "zz"))
    assert(opened(table).rows() == expected, fault)
    assert(opened(table, LocalStorage).rows() == expected, fault)
    new CommitNumbers(TimelineFiles.of(LocalStorage, table.base)).list(): Unit
    if (plan.hasStruck) state else None
  }
}
