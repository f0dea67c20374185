package hudilite.service

import java.util.concurrent.atomic.AtomicBoolean

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.Rotation
import hudilite.commit.{AsOf, CommitResult, Committed}
import hudilite.error.HudiliteException
import hudilite.format.{BlockBytes, TableVersion}
import hudilite.io.{FileEntry, LocalStorage, PagedStorage, Storage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.timeline.{
  ArchivedActions,
  CommitMetadata,
  DoneAction,
  Instant,
  ListedTwice,
  Timeline,
  TimelineFiles
}
import hudilite.verify.TableCheck
import hudilite.view.TestTable.{use, useVersion9}
import hudilite.view.{LogTable, TableSnapshot, TestTable}

/** The first commits leave the timeline, and nothing that is needed. */
class ArchiverSuite extends AnyFunSuite {
  private val limits = ActiveLimits(3, 4)

  private def archiver(
      table: TestTable,
      storage: Storage = LocalStorage,
      retention: Option[Retention] = None
  ): Archiver = {
    val files = TimelineFiles.of(storage, table.base)
    new Archiver(files, table.config, TestTable.logOf(files), retention,
      () => System.currentTimeMillis)
  }

  private def grown(table: TestTable, commits: Int): Seq[CommitResult] =
    (1 to commits).map(n => table.merge(1, n % 3 + 2)(_ + n.toString))

  private def active(table: TestTable): Seq[String] =
    Timeline.load(table.files).completed.map(_.time)

  private def condition(body: => Any): String = intercept[HudiliteException](body).condition

  private def at(table: TestTable, instant: String): Map[Int, String] =
    table.rows(TableSnapshot.load(table.files, table.config, Some(AsOf.Version(instant))))

  private def archived(table: TestTable): Seq[(String, String, String)] =
    ArchivedActions.of(table.files)

  private def hides(table: TestTable, buckets: Int*): String = {
    val snapshot = table.snapshot
    val write = table.log.begin(snapshot.base, Instant.replaceCommit)
    val ids = buckets.flatMap(TestTable.slice(snapshot, table.partition, _)).map(_.fileId)
    val made = CommitMetadata("DELETE_PARTITION", TestTable.schema, Nil,
      Map(table.partition -> ids))
    write.commit(made, made.fileGroups).instant
  }

  /** Runs a test with tables of both layouts. */
  private def each(test: TestTable => Unit): Unit = {
    use(test)
    useVersion9(test)
  }

  test("the first commits leave, what is left reads the same, and once more nothing is done") {
    each { table =>
      val commits = grown(table, 8).map(_.instant)
      val rows = table.rows()
      val looked = archiver(table).look(limits)
      assert(looked.commits.map(_.time) == commits.take(5) && active(table) == commits)
      assert(archiver(table).run(limits) == looked && looked.stoppedBy.isEmpty)
      assert(active(table) == commits.drop(5))
      assert(Timeline.load(table.files).instants.forall(_.time >= commits(5)))
      assert(table.rows() == rows && at(table, commits(6))(1) == "1234567")
      assert(condition(at(table, commits(4))) == "HUDILITE_VERSION_NOT_FOUND")
      assert(archived(table).map(_._1).distinct == commits.take(5))
      assert(archiver(table).run(limits).commits.isEmpty)
      assert(grown(table, 2).last.number == 10)
      assert(archiver(table).run(limits).commits.map(_.time) == commits.slice(5, 7))
      assert(archived(table).map(_._1).distinct.sorted == commits.take(7))
      assert(TableCheck.run(table.files, files = false).findings.map(_.code) == Nil)
    }
  }

  test("a batch has at most 2,000 actions, and 4 MiB unless it is one action") {
    def action(n: Int, bytes: Long) = {
      val instant = Instant(n.toString, "commit", Instant.Completed)
      val entry = FileEntry(new Path("/t/.hoodie"), s"$n.commit", bytes, false, 0L, None)
      DoneAction(instant, Vector(instant -> entry))
    }
    def sizes(of: Long*) = {
      val actions = of.toVector.zipWithIndex.map { case (bytes, n) => action(n, bytes) }
      val batches = Archiver.batches(actions)
      assert(batches.flatten == actions)
      batches.map(_.length)
    }
    val all = 4L << 20
    assert(sizes() == Nil)
    assert(sizes(Seq.fill(4500)(100L): _*) == Seq(2000, 2000, 500))
    assert(sizes(all, 1, all - 1, 1, all + 1, all + 2, 0) == Seq(1, 2, 1, 1, 1, 1))
    assert(sizes(all / 2, all / 2, all / 2) == Seq(2, 1))
  }

  test("a log file stays in its slice when its commit, which a base file overtook, is archived") {
    LogTable.use(TableVersion.Nine) { table =>
      table.merge(1, 2)(_ => "a"): Unit
      val slow = table.log.begin(table.snapshot.base, Instant.deltaCommit).instant
      val base = table.merge(1)(_ + "b").instant
      val name = LogTable.nextName(table, 1, slow)
      val place = LogTable.put(table, name, BlockBytes.data(slow, 1))
      val length = LocalStorage.read(LogTable.at(table, place)).length.toLong
      LogTable.complete(table, slow,
        TestTable.stat(LogTable.sliceOf(table, 1).fileId, place, Some(LogTable.sliceOf(table, 1)),
          length))
      def check() = {
        val slice = LogTable.sliceOf(table, 1)
        assert(slice.instant == base && slice.logs.map(_.name.instant) == Seq(slow))
        assert(table.snapshot.superseded(table.partition).forall(!_.isLog))
        assert(TableCheck.run(table.files, files = true).findings.map(_.code) == Nil)
      }
      check()
      (1 to 5).foreach(n => table.merge(2)(_ + n.toString))
      check()
      assert(archiver(table).run(limits).commits.map(_.time).contains(slow))
      assert(!active(table).contains(slow) && !active(table).contains(base))
      check()
    }
  }

  test("within the limits nothing happens") {
    each { table =>
      grown(table, 4)
      assert(!archiver(table).isDue(limits))
      assert(archiver(table).run(limits).commits.isEmpty && archived(table).isEmpty)
      grown(table, 1)
      assert(archiver(table).isDue(limits))
    }
  }

  test("a savepoint and a pending write stop the archival before them") {
    each { table =>
      val commits = grown(table, 4).map(_.instant)
      val pending = table.start(table.snapshot, Seq(5))(_ + "late")
      grown(table, 4)
      val stopped = archiver(table).run(limits)
      assert(stopped.commits.map(_.time) == commits.take(3))
      assert(stopped.stoppedBy.exists(_.contains(pending.transaction.instant)))
      assert(pending.commit().number == 9 && table.rows()(5) == "late")
      val saved = active(table)(1)
      new Savepoints(table.files).create(table.config, saved, "us", "", 0)
      val held = archiver(table).run(limits)
      assert(held.commits.map(_.time).forall(_ < saved))
      assert(held.stoppedBy == Some(s"commit $saved has a savepoint"))
      new Savepoints(table.files).delete(saved)
      grown(table, 4)
      assert(archiver(table).run(limits).commits.map(_.time).contains(saved))
    }
  }

  test("a commit stays that was completed after a pending write had begun") {
    useVersion9 { table =>
      val commits = grown(table, 2).map(_.instant)
      val early = Seq(5, 6, 7).map(bucket => table.start(table.snapshot, Seq(bucket))(_ + "early"))
      val pending = table.start(table.snapshot, Seq(8))(_ + "late")
      early.foreach(_.commit())
      grown(table, 4)
      val stopped = archiver(table).run(limits)
      assert(stopped.commits.map(_.time) == commits)
      assert(stopped.stoppedBy.exists(_.contains(pending.transaction.instant)))
      pending.commit()
      assert(archiver(table).run(limits).commits.nonEmpty)
    }
  }

  test("the latest checkpoint of each program of stock Hudi stays") {
    each { table =>
      def stored(key: String, value: String): String = {
        val write = table.log.begin(table.snapshot.base, Instant.commit)
        val metadata =
          CommitMetadata("UPSERT", TestTable.schema, Nil, Map.empty, Map(key -> value))
        write.commit(metadata, Set.empty).instant
      }
      val early = stored("deltastreamer.checkpoint.key", "topic,0:6")
      grown(table, 1)
      val latest = stored("streamer.checkpoint.key.v2", "topic,0:7")
      val ofOther = stored("_hudi_streaming_sink_checkpoint", """{"orders":"7"}""")
      stored("deltastreamer.checkpoint.key", "")
      grown(table, 6)
      val stopped = archiver(table).run(limits)
      assert(stopped.commits.map(_.time).headOption.contains(early) && stopped.commits.size == 2)
      assert(stopped.stoppedBy.contains(s"Hudi Streamer resumes from commit $latest"))
      stored("deltastreamer.checkpoint.reset_key", "topic,0:8")
      val again = archiver(table).run(limits)
      assert(again.commits.map(_.time) == Seq(latest))
      assert(again.stoppedBy.contains(s"streaming query orders resumes from commit $ofOther"))
      val all = archiver(table).run(limits.copy(keepsCheckpoints = false))
      assert(all.commits.map(_.time).contains(ofOther) && all.stoppedBy.isEmpty)
    }
  }

  test("a damaged manifest is an error, except one that a dead writer has left") {
    useVersion9 { table =>
      def file(name: String) = Storage.resolve(table.base, s".hoodie/timeline/history/$name")
      val commits = grown(table, 6).map(_.instant)
      archiver(table).run(limits): Unit
      TempFolder.write(file("manifest_2"), "{\"files\":")
      val more = grown(table, 2).map(_.instant)
      assert(archiver(table).run(limits).commits.nonEmpty)
      assert(archived(table).map(_._1) == (commits ++ more).dropRight(3))
      val rows = table.rows()
      grown(table, 2)
      val before = active(table)
      TempFolder.write(file("manifest_3"), "{\"files\":")
      assert(condition(archiver(table).run(limits)) == "HUDILITE_CORRUPT_TIMELINE")
      TempFolder.write(file("_version_"), "x")
      assert(condition(archiver(table).run(limits)) == "HUDILITE_CORRUPT_TIMELINE")
      assert(active(table) == before && table.rows() != rows)
    }
  }

  test("commits that overlapped leave together, so that each state is whole") {
    use { table =>
      grown(table, 2)
      val slow = table.start(table.snapshot, Seq(5))(_ + "slow")
      val fast = grown(table, 2).map(_.instant)
      slow.commit()
      grown(table, 2)
      // The slow one began as the third and was the fifth commit.
      assert(archiver(table).run(ActiveLimits(4, 5)).commits.size == 2)
      assert(active(table).startsWith(slow.transaction.instant +: fast))
    }
  }

  test("a replacecommit stays until a clean has deleted what it hid") {
    each { table =>
      grown(table, 2)
      val hiding = hides(table, 1)
      (1 to 4).foreach(n => table.merge(2)(_ + n.toString))
      val rows = table.rows()
      val stopped = archiver(table).run(limits)
      assert(stopped.commits.forall(_.time < hiding) && stopped.stoppedBy.nonEmpty)
      assert(table.rows() == rows)
      new Cleaner(table.files, table.config, table.log, () => System.currentTimeMillis)
        .run(Retention(2, 0))
      assert(archiver(table).run(limits).commits.map(_.time).contains(hiding))
      assert(table.rows() == rows && !rows.contains(1))
      table.merge(1)(_ + "new")
      assert(table.rows() == rows + (1 -> "new"))
    }
  }

  test("the states that an automatic clean keeps stay") {
    use { table =>
      val commits = grown(table, 8).map(_.instant)
      val kept = archiver(table, retention = Some(Retention(6, 0))).run(limits)
      assert(kept.commits.map(_.time) == commits.take(2))
      assert(kept.stoppedBy.exists(_.contains("automatic clean")))
      assert(archiver(table, retention = Some(Retention(1, 1))).run(limits).commits.isEmpty)
    }
  }

  test("an archival that moves nothing, because a clean keeps all states, reads no commit") {
    use { table =>
      grown(table, 8)
      val watched = new PagedStorage
      def readCommits() = watched.told().filter(c => c._1 == "read" && c._2.endsWith(".commit"))
      assert(archiver(table, watched.storage).look(limits).commits.nonEmpty)
      assert(readCommits().nonEmpty)
      val stopped = archiver(table, watched.storage, Some(Retention(1, 1))).run(limits)
      assert(stopped.commits.isEmpty && stopped.stoppedBy.nonEmpty)
      assert(readCommits().isEmpty)
    }
  }

  test("cleans and rollbacks leave with the commits around them, except for the latest clean") {
    each { table =>
      val cleaner = new Cleaner(table.files, table.config, table.log,
        () =>
          System.currentTimeMillis)
      grown(table, 2)
      val first = cleaner.run(Retention(1, 0)).instant.get
      val lost = table.start(table.snapshot, Seq(7))(_ + "lost").transaction.instant
      assert(table.log.rollback.rollBack(lost).isRight)
      grown(table, 4)
      val second = cleaner.run(Retention(1, 0)).instant.get
      val last = grown(table, 4).map(_.instant)
      val done = archiver(table).run(limits)
      assert(done.commits.size == 7 && done.others.map(_.action) == Seq("clean", "rollback"))
      val left = Timeline.load(table.files).instants
      assert(!left.exists(_.time == first) && left.exists(_.time == second))
      assert(active(table) == last.drop(1))
      assert(archived(table).exists(_._2 == "clean") && archived(table).exists(_._2 == "rollback"))
    }
  }

  test("a late file of an aborted write does not count when its instant is archived") {
    use { table =>
      grown(table, 2)
      val lost = table.start(table.snapshot, Seq(7))(_ + "lost")
      assert(table.log.rollback.rollBack(lost.transaction.instant).isRight)
      grown(table, 6)
      val rows = table.rows()
      archiver(table).run(limits)
      lost.stats.foreach(s =>
        LocalStorage.createNew(Storage.resolve(table.base, s.path), "late".getBytes)
      )
      assert(table.rows() == rows && at(table, active(table).last) == rows)
    }
  }

  // F42
  test("an archival that ends at any operation leaves the same rows, and the next one goes on") {
    Seq(use[Boolean] _, useVersion9[Boolean] _).foreach { make =>
      val stopped = Rotation.numbers.map(n => make(stopAt(_, n))).takeWhile(identity).size
      assert(stopped >= Rotation.least(11))
    }
  }

  /** @return whether it stopped there; false behind its last operation */
  private def stopAt(table: TestTable, operation: Int): Boolean = {
    val commits = grown(table, 8).map(_.instant)
    val rows = table.rows()
    val plan = FaultPlan.parse(s"*:.:$operation:stop")
    val isStopped =
      Try(archiver(table, FaultStorage.over(LocalStorage, plan)).run(limits)).isFailure
    assert(table.rows() == rows, s"after $operation")
    val left = active(table)
    assert(commits.endsWith(left), s"after $operation")
    assert(Timeline.load(table.files).pending.isEmpty, s"after $operation")
    assert((left ++ archived(table).map(_._1)).toSet == commits.toSet, s"after $operation")
    grown(table, 2)
    archiver(table).run(limits)
    assert(active(table).size <= limits.most && table.rows()(1) == "1234567812")
    val all = archived(table)
    assert(all.distinct == all && all.map(_._1).toSet.size == 10 - active(table).size)
    isStopped
  }

  test("a load that lists the timeline during an archival lists it again") {
    def first(commits: Seq[String]) = s"${commits.head}.commit"
    def begun(commits: Seq[String]) = s"${commits(1)}.commit.requested"
    Seq(first _, begun _).foreach { seen =>
      use { table =>
        val commits = Seq(table.merge(1)(_ + "a"), table.merge(9)(_ + "b")) ++ grown(table, 7)
        val rows = table.rows()
        val disturbed = new Disturbed(table, seen(commits.map(_.instant)))
        val read = new TestTable(table.base, disturbed).snapshot
        assert(read.instants == active(table) && active(table).size == 3)
        assert(table.rows(read) == rows && rows(9) == "b")
      }
    }
  }

  /** A storage whose first listing of the metadata folder is made while an archival runs. It contains
    * one of the files that are deleted meanwhile. */
  private final class Disturbed(table: TestTable, seen: String) extends ListedTwice {
    private val isFirst = new AtomicBoolean(true)

    override def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] = {
      val before = super.list(dir, detailed)
      if (dir.getName == ".hoodie" && isFirst.getAndSet(false)) {
        archiver(table).run(limits): Unit
        val left = LocalStorage.names(dir).toSet + seen
        before.filter(entry => left(entry.name))
      } else before
    }
  }

  test("the newest checkpoint covers what is left") {
    use { table =>
      grown(table, 8)
      archiver(table).run(limits)
      val committed =
        Committed.ofTable(table.files, table.config.uuid, table.files.metadata())
      assert(committed.checkpoint.map(_.instants.filter(active(table).toSet).size) == Some(3))
    }
  }
}
