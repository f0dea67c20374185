package hudilite.commit

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.timeline.{CommitMetadata, FileGroupRef, Instant, Timeline, TimelineFiles}
import hudilite.view.TestTable.use
import hudilite.view.{LogTable, TestTable}

/** The writes of a bootstrap: always the same two instants, and one number for both. */
class BootstrapWritesSuite extends AnyFunSuite {
  private val metadata = CommitMetadata("BOOTSTRAP", TestTable.schema, Nil)
  private val all = Set(FileGroupRef.wholeTable)
  private val (one, two) = (Instant.bootstrap, Instant.fullBootstrap)

  private def at(table: TestTable, path: String): Path = Storage.resolve(table.base, path)

  private def hoodie(table: TestTable): Set[String] = TempFolder.names(at(table, ".hoodie"))

  private def condition(call: => Any): String = intercept[HudiliteException](call).condition

  private def begin(
      table: TestTable,
      action: String = Instant.commit
  ): (Transaction, Transaction) = {
    val base = table.snapshot.base
    (table.log.beginBootstrap(base, one, action), table.log.beginBootstrap(base, two, action))
  }

  private def commit(writes: (Transaction, Transaction)): CommitResult =
    writes._2.commit(metadata, all, before = Some(writes._1 -> metadata))

  private def skeleton(table: TestTable, name: String): Path = {
    val path = at(table, s"p=a/${name}_0-1-1_$one.parquet")
    assert(table.storage.createNew(path, Array[Byte](1)))
    path
  }

  private def isThere(path: Path): Boolean = LocalStorage.status(path).nonEmpty

  test("one number stands for both instants, and the next write takes the next") {
    use { table =>
      assert(commit(begin(table)) == CommitResult(1, two))
      assert(table.snapshot.instants == Seq(one, two) && table.snapshot.number == 1)
      assert(hoodie(table).filter(_.endsWith(".commit")) == Set(s"$one.commit", s"$two.commit"))
      assert(table.merge(1)(_ => "next").number == 2)
    }
  }

  test("a crash before either, or between them, leaves both for readers and for the next write") {
    for (instant <- Seq(one, two)) use { table =>
      val plan = FaultPlan.parse(s"createNew:.*/$instant.commit$$:1:stop")
      val faulty = new TestTable(table.base, FaultStorage.over(LocalStorage, plan))
      val writes = begin(faulty)
      assert(condition(commit(writes)) == "HUDILITE_COMMIT_STATE_UNKNOWN")
      assert(hoodie(table).contains(s"$one.commit") == (instant == two))
      assert(table.snapshot.instants == Seq(one, two) && table.snapshot.metadata(one).nonEmpty)
      assert(!table.log.rollback.rollBackBootstrap(), "it stands")
      assert(table.merge(1)(_ => "next").number == 2)
      assert(table.snapshot.instants.take(2) == Seq(one, two))
    }
  }

  test("a crash before the number leaves nothing, and what is left goes before the next attempt") {
    use { table =>
      val (first, second) = begin(table)
      val lost = skeleton(table, "lost")
      val index = at(table, ".hoodie/.aux/.bootstrap/.partitions/x.hfile")
      assert(LocalStorage.createNew(index, Array[Byte](1)))
      assert(table.snapshot.instants.isEmpty)
      assert(table.log.rollback.rollBackBootstrap())
      assert(!isThere(lost) && !isThere(index))
      assert(!hoodie(table).exists(name => name.startsWith(one) || name.startsWith(two)))
      val again = begin(table)
      val kept = skeleton(table, "kept")
      assert(condition(commit((first, second))) == "HUDILITE_WRITE_ROLLED_BACK")
      assert(!second.abort() && !first.abort(), "these instants are another's by now")
      assert(isThere(kept) && again._1.ticket.isOpen(TimelineFiles.of(LocalStorage, table.base)))
      assert(!first.ticket.isOpen(TimelineFiles.of(LocalStorage, table.base)))
      assert(commit(again).number > 1)
      assert(table.snapshot.instants == Seq(one, two))
    }
  }

  test("a late abort deletes nothing of a bootstrap of the other type") {
    use { table =>
      val (first, second) = begin(table)
      assert(table.log.rollback.rollBackBootstrap())
      val again = begin(table, Instant.deltaCommit)
      val kept = skeleton(table, "kept")
      assert(!second.abort() && !first.abort() && isThere(kept))
      assert(commit(again).number > 0 && !first.abort(Seq("p=a")) && isThere(kept))
    }
  }

  test("of two bootstraps at once one begins; nothing of a table with a commit is taken back") {
    use { table =>
      val (first, _) = begin(table)
      assert(condition(begin(table)) == "HUDILITE_CONCURRENT_WRITE")
      assert(first.abort())
    }
    use { table =>
      table.merge(1)(_ => "kept")
      assert(!table.log.rollback.rollBackBootstrap() && table.rows() == Map(1 -> "kept"))
    }
  }

  test("a rollback of a pending one takes its number and its index, too") {
    use { table =>
      val (first, second) = begin(table)
      val index = at(table, ".hoodie/.aux/.bootstrap/.partitions/x.hfile")
      assert(LocalStorage.createNew(index, Array[Byte](1)))
      assert(table.log.rollback.rollBack(one).map(_.instant) == Right(one))
      assert(!isThere(index))
      assert(condition(commit((first, second))) == "HUDILITE_WRITE_ROLLED_BACK")
      assert(table.log.rollback.rollBackBootstrap(), "and the next attempt begins anew")
      assert(commit(begin(table)).instant == two)
    }
  }

  test("of a merge-on-read table both are deltacommits") {
    LogTable.each { table =>
      val lost = begin(table, Instant.deltaCommit)
      assert(table.log.rollback.rollBackBootstrap(), "the first attempt was killed")
      assert(condition(commit(lost)) == "HUDILITE_WRITE_ROLLED_BACK")
      val plan = FaultPlan.parse(s"createNew:.*/$two[_0-9]*.deltacommit$$:1:stop")
      val faulty = new TestTable(table.base, FaultStorage.over(LocalStorage, plan))
      val writes = begin(faulty, Instant.deltaCommit)
      assert(condition(commit(writes)) == "HUDILITE_COMMIT_STATE_UNKNOWN")
      assert(table.snapshot.instants == Seq(one, two))
      assert(!table.log.rollback.rollBackBootstrap(), "it stands")
      val done =
        Timeline.named(table.files).completed.filter(i => Instant.bootstraps.contains(i.time))
      assert(done.map(i => i.time -> i.action) ==
        Vector(one -> Instant.deltaCommit, two -> Instant.deltaCommit))
      assert(table.merge(1)(_ => "next").number == table.snapshot.number)
    }
  }
}
