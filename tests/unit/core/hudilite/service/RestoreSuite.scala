package hudilite.service

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.CommitResult
import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.view.TestTable
import hudilite.view.TestTable.use

/** Commits are undone, the latest first, and writers that rest on them fail. */
class RestoreSuite extends AnyFunSuite {
  private val states = Seq(
    Map(1 -> "a", 2 -> "a"),
    Map(1 -> "ab", 2 -> "a"),
    Map(1 -> "ab", 2 -> "ac", 3 -> "c"),
    Map(1 -> "abd", 2 -> "ac", 3 -> "c")
  )

  private def restore(table: TestTable): Restore =
    new Restore(table.files, table.config, table.log, () => System.currentTimeMillis)

  private def data(table: TestTable): Set[String] =
    TempFolder.names(Storage.resolve(table.base, "p=a")) - ".hoodie_partition_metadata"

  private def hoodie(table: TestTable): Set[String] =
    TempFolder.names(Storage.resolve(table.base, ".hoodie"))

  private def condition(body: => Any): String = intercept[HudiliteException](body).condition

  private def grown(table: TestTable): Seq[CommitResult] = Seq(
    table.merge(1, 2)(_ => "a"),
    table.merge(1)(_ + "b"),
    table.merge(2, 3)(_ + "c"),
    table.merge(1)(_ + "d")
  )

  test("the table is as it was, and nothing of what came after is left") {
    states.indices.foreach { at =>
      use { table =>
        val commits = grown(table)
        val looked = restore(table).look(commits(at).instant)
        assert(looked.lost == commits.drop(at + 1).map(_.instant).reverse)
        assert(table.rows() == states.last)
        val done = restore(table).run(commits(at).instant)
        assert(done.lost == looked.lost && done.deleted.toSet == looked.deleted.toSet)
        assert(table.rows() == states(at) && data(table).size == Seq(2, 3, 5, 6)(at))
        commits.drop(at + 1).foreach { lost =>
          assert(!hoodie(table).exists(_.startsWith(lost.instant)))
        }
        assert(done.instant.isEmpty == (at == 3))
        done.instant.foreach { time =>
          assert(
            hoodie(table).filter(_.startsWith(time)) ==
              Set(s"$time.restore.requested", s"$time.restore.inflight", s"$time.restore")
          )
        }
        assert(restore(table).run(commits(at).instant).lost.isEmpty)
        table.merge(1)(_ + "e")
        assert(table.rows()(1) == states(at)(1) + "e")
      }
    }
  }

  test("a writer that rests on what was undone fails, and another does not") {
    use { table =>
      val commits = grown(table)
      val resting = table.start(table.snapshot, Seq(1))(_ + "late")
      val other = table.start(table.snapshot, Seq(5))(_ => "other")
      restore(table).run(commits(1).instant): Unit
      assert(condition(resting.commit()) == "HUDILITE_CONCURRENT_WRITE")
      resting.transaction.abort(): Unit
      assert(table.rows() == states(1))
      other.commit()
      assert(table.rows() == states(1) + (5 -> "other"))
    }
  }

  test("a state that is not there is no aim") {
    use { table =>
      val commits = grown(table)
      assert(condition(restore(table).run("20200101000000000")) == "HUDILITE_VERSION_NOT_FOUND")
      val first = data(table).filter(_.contains(commits.head.instant)).head
      LocalStorage.delete(Storage.resolve(table.base, s"p=a/$first"))
      assert(condition(restore(table).run(commits.head.instant)) == "HUDILITE_SNAPSHOT_EXPIRED")
      assert(table.rows() == states.last)
    }
  }

  test("a state whose files a pending clean deletes is no aim") {
    use { table =>
      val commits = grown(table)
      val plan = FaultPlan.parse("createNew:[.]clean[.]inflight$:1:stop")
      val mortal = new TestTable(table.base, FaultStorage.over(LocalStorage, plan))
      val cleaner = new Cleaner(mortal.files, table.config, mortal.log, () => 0L)
      assert(Try(cleaner.run(Retention(1, 0))).isFailure)
      assert(condition(restore(table).look(commits.head.instant)) == "HUDILITE_SNAPSHOT_EXPIRED")
      assert(condition(restore(table).run(commits.head.instant)) == "HUDILITE_SNAPSHOT_EXPIRED")
      assert(table.rows() == states.last)
      assert(restore(table).run(commits.last.instant).lost.isEmpty)
    }
  }

  test("a plan whose restore has taken no number is removed an hour later") {
    use { table =>
      val commits = grown(table)
      def plans = hoodie(table).count(_.endsWith(".restore.requested"))
      val plan = FaultPlan.parse("createNew:[0-9]{20}$:1:stop")
      val mortal = new TestTable(table.base, FaultStorage.over(LocalStorage, plan))
      assert(Try(restore(mortal).run(commits.head.instant)).isFailure && plans == 1)
      assert(restore(table).run(commits.last.instant).lost.isEmpty && plans == 1)
      val anHour = System.currentTimeMillis + 3600000L
      val later = new Restore(table.files, table.config, table.log, () => anHour + 1000L)
      assert(later.run(commits.last.instant).lost.isEmpty && plans == 0)
      assert(table.rows() == states.last)
    }
  }

  test("commits that are savepoints are listed") {
    use { table =>
      val commits = grown(table)
      new Savepoints(table.files)
        .create(table.config, commits(2).instant, "me", "", 5): Unit
      assert(restore(table).saved(commits(1).instant) == Seq(commits(2).instant))
      assert(restore(table).saved(commits(2).instant).isEmpty)
    }
  }

  test(
    "a restore that ends at any operation leaves one of the states, and is finished by the next"
  ) {
    val stopped = Iterator.from(1).map(stopAt).takeWhile(identity).size
    assert(stopped > 20)
  }

  /** @return whether it stopped there; false behind its last operation */
  private def stopAt(operation: Int): Boolean = use { table =>
    val commits = grown(table)
    val plan = FaultPlan.parse(s"*:.:$operation:stop")
    val mortal = new TestTable(table.base, FaultStorage.over(LocalStorage, plan))
    val isStopped = Try(restore(mortal).run(commits.head.instant)).isFailure
    assert(states.contains(table.rows()), s"after $operation")
    restore(table).run(commits.head.instant): Unit
    assert(table.rows() == states.head && data(table).size == 2, s"after $operation")
    commits.drop(1).foreach { lost =>
      assert(!hoodie(table).exists(_.startsWith(lost.instant)), s"after $operation")
    }
    table.merge(1)(_ + "e"): Unit
    assert(table.rows()(1) == "ae", s"after $operation")
    isStopped
  }
}
