package hudilite.service

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.{AsOf, CommitResult}
import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.timeline.{Cleans, TimelineFiles}
import hudilite.view.TestTable.use
import hudilite.view.{FileSlice, OpenedFile, TableSnapshot, TestTable}

/** What no kept state shows goes, and nothing else. */
class CleanerSuite extends AnyFunSuite {
  private val last = Retention(1, 0)

  private def cleaner(table: TestTable, storage: Storage = LocalStorage): Cleaner =
    new Cleaner(TimelineFiles.of(storage, table.base), table.config, table.log,
      () => System.currentTimeMillis)

  private def cleansOf(table: TestTable) = new Cleans(TimelineFiles.of(LocalStorage, table.base))

  private def savepoints(table: TestTable) =
    new Savepoints(TimelineFiles.of(LocalStorage, table.base))

  private def data(table: TestTable): Set[String] =
    TempFolder.names(Storage.resolve(table.base, "p=a")) - ".hoodie_partition_metadata"

  private def hoodie(table: TestTable): Set[String] =
    TempFolder.names(Storage.resolve(table.base, ".hoodie"))

  private def rows(table: TestTable, commit: CommitResult): Map[Int, String] = table.rows(
    TableSnapshot
      .load(table.files, table.config, Some(AsOf.Version(commit.instant)))
  )

  private def condition(body: => Any): String = intercept[HudiliteException](body).condition

  /** Of bucket 1 four versions, of bucket 2 one. */
  private def grown(table: TestTable): Seq[CommitResult] =
    table.merge(1, 2)(_ => "a") +: Seq("b", "c", "d").map(text => table.merge(1)(_ + text))

  test("kept states stay whole, older versions go, and once more nothing is done") {
    use { table =>
      val commits = grown(table)
      val looked = cleaner(table).look(Retention(2, 0))
      assert(looked.deleted.map(_.instant).sorted == commits.take(2).map(_.instant))
      assert(looked.earliest == Some(commits(2).instant) && data(table).size == 5)
      val done = cleaner(table).run(Retention(2, 0))
      assert(done.deleted.map(_.place) == looked.deleted.map(_.place))
      assert(data(table).size == 3 && table.rows() == Map(1 -> "abcd", 2 -> "a"))
      assert(rows(table, commits(2)) == Map(1 -> "abc", 2 -> "a"))
      assert(condition(rows(table, commits(1))) == "HUDILITE_SNAPSHOT_EXPIRED")
      val time = done.instant.get
      assert(
        hoodie(table).filter(_.startsWith(time)) ==
          Set(s"$time.clean.requested", s"$time.clean.inflight", s"$time.clean")
      )
      val again = cleaner(table).run(Retention(2, 0))
      assert(again.instant.isEmpty && again.deleted.isEmpty)
    }
  }

  // F29
  test(
    "a file is reported as cleaned while its clean runs and afterwards, and as missing otherwise"
  ) {
    use { table =>
      val commits = grown(table)
      val read = table.snapshot.slices(table.partition)
      val older = TableSnapshot
        .load(table.files, table.config, Some(AsOf.Version(commits.head.instant)))
        .slices(table.partition)
      def conditionOf(slice: FileSlice) = condition(OpenedFile.open(slice, new Configuration()))
      val cleans = cleansOf(table)
      val plan = Cleans.Plan("", "", "", cleaner(table).look(last).deleted.map(_.place))
      table.log.request(Cleans.action, cleans.record(plan))
      val lost = older.filterNot(slice => read.exists(_.path == slice.path))
      lost.foreach(slice => assert(LocalStorage.delete(slice.path)))
      assert(lost.nonEmpty && lost.map(conditionOf).toSet == Set("HUDILITE_SNAPSHOT_EXPIRED"))
      assert(cleaner(table).run(last).deleted.nonEmpty && cleans.pending().isEmpty)
      assert(lost.map(conditionOf).toSet == Set("HUDILITE_SNAPSHOT_EXPIRED"))
      assert(LocalStorage.delete(read.head.path))
      assert(conditionOf(read.head) == "HUDILITE_MISSING_DATA_FILE")
    }
  }

  test("what is young stays, whatever the number of commits") {
    use { table =>
      grown(table)
      assert(cleaner(table).run(Retention(1, 1)).deleted.isEmpty && data(table).size == 5)
    }
  }

  test("a savepoint keeps its files until it is deleted") {
    use { table =>
      val commits = grown(table)
      val saved = savepoints(table).create(table.config, commits(1).instant, "me", "why", 5)
      assert(saved.isNew && saved.slices.size == 2)
      assert(!savepoints(table).create(table.config, commits(1).instant, "me", "", 6).isNew)
      assert(savepoints(table).instants() == Seq(commits(1).instant))
      val done = cleaner(table).run(last)
      assert(done.deleted.size == 2 && done.saved == 1)
      assert(rows(table, commits(1)) == Map(1 -> "ab", 2 -> "a"))
      assert(savepoints(table).delete(commits(1).instant))
      assert(!savepoints(table).delete(commits(1).instant))
      assert(cleaner(table).run(last).deleted.map(_.instant) == Seq(commits(1).instant))
    }
  }

  test("a state that is gone, or about to go, cannot be saved") {
    use { table =>
      val commits = grown(table)
      val plan = Cleans.Plan("", "", "", cleaner(table).look(last).deleted.map(_.place))
      val cleans = cleansOf(table)
      val time = table.log.request(Cleans.action, cleans.record(plan))
      def save(commit: CommitResult) =
        savepoints(table).create(table.config, commit.instant, "me", "", 5)
      assert(condition(save(commits(1))) == "HUDILITE_SNAPSHOT_EXPIRED")
      assert(save(commits(3)).isNew)
      assert(savepoints(table).instants() == Seq(commits(3).instant))
      assert(cleans.pending() == Seq(time))
      assert(cleaner(table).run(Retention(99, 0)).deleted.size == 3)
      assert(cleans.pending().isEmpty)
      assert(condition(save(commits(1))) == "HUDILITE_SNAPSHOT_EXPIRED")
      assert(condition(save(CommitResult(9, "20200101000000000"))) == "HUDILITE_VERSION_NOT_FOUND")
      assert(savepoints(table).instants() == Seq(commits(3).instant))
    }
  }

  // F09, F30
  test("a plan takes neither what the latest state shows nor what is saved") {
    use { table =>
      val commits = grown(table)
      savepoints(table).create(table.config, commits(2).instant, "me", "", 5)
      val cleans = cleansOf(table)
      val all = data(table).map(name => s"p=a/$name").toSeq
      val properties = ".hoodie/hoodie.properties"
      val strange = Seq("p=a/.hoodie_partition_metadata", s"../t/${all.min}", properties)
      val plan = Cleans.Plan("", "", "", all ++ strange)
      table.log.request(Cleans.action, cleans.record(plan))
      val deleted = cleaner(table).run(Retention(99, 0)).deleted
      assert(deleted.map(_.instant).sorted == commits.take(2).map(_.instant))
      assert(rows(table, commits(2)) == Map(1 -> "abc", 2 -> "a"))
      assert(table.rows() == Map(1 -> "abcd", 2 -> "a"))
    }
  }

  test("files of pending writes and of those that began later are not the cleaner's") {
    use { table =>
      grown(table)
      val pending = table.start(table.snapshot, Seq(1, 3))(_ + "e")
      assert(cleaner(table).run(last).deleted.size == 3)
      assert(pending.commit().number == 5 && table.rows()(1) == "abcde")
    }
  }

  // F09
  test("a clean that ends at any operation is finished by the next") {
    val stopped = Iterator.from(1).map(stopAt).takeWhile(identity).size
    assert(stopped > 10)
  }

  /** @return whether it stopped there; false behind its last operation */
  private def stopAt(operation: Int): Boolean = use { table =>
    grown(table)
    val plan = FaultPlan.parse(s"*:.:$operation:stop")
    val mortal = new TestTable(table.base, FaultStorage.over(LocalStorage, plan))
    val isStopped = Try(cleaner(mortal, mortal.storage).run(last)).isFailure
    assert(table.rows() == Map(1 -> "abcd", 2 -> "a"), s"after $operation")
    cleaner(table).run(last): Unit
    assert(data(table).size == 2, s"after $operation")
    assert(cleansOf(table).pending().isEmpty, s"after $operation")
    assert(table.merge(1)(_ + "e").number == 5 && table.rows()(1) == "abcde", s"after $operation")
    isStopped
  }

  // F83
  test("a partition that is a link out of the table is left alone") {
    use { table =>
      grown(table)
      val folder = java.nio.file.Path.of(Storage.resolve(table.base, "p=a").toUri)
      val outside = folder.getParent.resolveSibling("outside")
      java.nio.file.Files.move(folder, outside)
      java.nio.file.Files.createSymbolicLink(folder, outside)
      val before = outside.toFile.list.toSet
      assert(condition(cleaner(table).run(last)) == "HUDILITE_PATH_INVALID")
      assert(outside.toFile.list.toSet == before)
      assert(cleansOf(table).pending().isEmpty)
    }
  }
}
