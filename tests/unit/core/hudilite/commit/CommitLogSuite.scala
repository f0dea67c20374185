package hudilite.commit

import java.io.IOException

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.io.{FileEntry, LocalStorage, Storage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.timeline.{
  AvroFiles,
  CommitMetadata,
  FileGroupRef,
  Instant,
  ListedTwice,
  Markers,
  TimelineFiles
}
import hudilite.verify.TableCheck
import hudilite.view.TestTable.use
import hudilite.view.{Started, TestTable}

class CommitLogSuite extends AnyFunSuite {
  private val metadata = CommitMetadata("UPSERT", TestTable.schema, Nil)

  private def at(table: TestTable, path: String): Path = Storage.resolve(table.base, path)

  private def hoodie(table: TestTable): Set[String] = TempFolder.names(at(table, ".hoodie"))

  private def numbers(table: TestTable): Set[String] =
    TempFolder.names(at(table, ".hoodie/.hudilite/commits"))

  private def record(table: TestTable, n: Long): CommitRecord =
    new CommitNumbers(TimelineFiles.of(LocalStorage, table.base)).read(n)

  private def condition(call: => Any): String = intercept[HudiliteException](call).condition

  private def faulty(table: TestTable, plan: String): TestTable =
    new TestTable(table.base, FaultStorage.over(LocalStorage, FaultPlan.parse(plan)))

  test("a commit leaves Hudi's three files, its number and no marker") {
    use { table =>
      val result = table.merge(1)(_ => "one")
      val t = result.instant
      assert(result.number == 1)
      assert(
        hoodie(table) == Set("hoodie.properties", s"$t.commit.requested", s"$t.inflight") ++
          Set(s"$t.commit", ".hudilite", ".temp")
      )
      assert(TempFolder.names(at(table, ".hoodie/.temp")).isEmpty)
      assert(numbers(table) == Set("0" * 19 + "1", "0" * 19 + s"1-$t"))
      assert(TempFolder.text(at(table, s".hoodie/$t.commit.requested")) == "")
      val committed = TempFolder.text(at(table, s".hoodie/$t.commit"))
      assert(record(table, 1).metadata.contains(committed))
      assert(record(table, 1).touched == Set(FileGroupRef.bucket("p=a", 1)))
    }
  }

  test("a commit follows one that it has seen") {
    use { table =>
      (1 to 3).foreach(i => assert(table.merge(1)(_ + i).number == i))
      assert(table.rows() == Map(1 -> "123"))
    }
  }

  test(
    "of two writes of one bucket the second is refused, and its abort removes all that is its own"
  ) {
    use { table =>
      table.merge(1, 2)(_ => "base")
      val snapshot = table.snapshot
      val first = table.start(snapshot, Seq(1, 3))(_ + "+first")
      val second = table.start(snapshot, Seq(2, 3))(_ + "+second")
      val won = first.commit()
      val e = intercept[HudiliteException](second.commit())
      assert(e.condition == "HUDILITE_CONCURRENT_WRITE")
      assert(
        e.parameters == Map("table" -> "t", "bucket" -> "p=a/00000003", "instant" -> won.instant)
      )
      assert(second.transaction.abort())
      assert(table.rows() == Map(1 -> "base+first", 2 -> "base", 3 -> "+first"))
      val lost = second.transaction.instant
      assert(!hoodie(table).exists(_.startsWith(lost)))
      assert(!TempFolder.names(at(table, "p=a")).exists(_.contains(lost)))
      assert(!second.transaction.abort())
      intercept[IllegalArgumentException](second.commit())
    }
  }

  // F19
  test("writes of different buckets from one snapshot both commit") {
    use { table =>
      val snapshot = table.snapshot
      val writes = (1 to 4).map(b => table.start(snapshot, Seq(b))(_ => s"$b"))
      assert(writes.reverse.map(_.commit().number) == Seq(1, 2, 3, 4))
      assert(table.rows() == (1 to 4).map(b => b -> s"$b").toMap)
    }
  }

  // F27
  test("a lost reply of any step leaves a commit that stands once, or one that is gone") {
    Seq("commits/[0-9]{20}$", "\\.commit$", "\\.commit\\.requested$", "\\.inflight$").foreach {
      step =>
        use { table =>
          table.merge(1)(_ => "a")
          val lossy = faulty(table, s"createNew:$step:1:throwAfter")
          val number =
            try Some(lossy.merge(1)(_ + "b").number)
            catch { case _: IOException => None }
          assert(number.isDefined == !(step.contains("requested") || step.contains("inflight")))
          val next = table.merge(1)(_ + "c")
          assert(next.number == number.fold(2L)(_ + 1))
          assert(table.rows() == Map(1 -> (if (number.isEmpty) "ac" else "abc")))
          val pending = hoodie(table).count(_.endsWith(".inflight")) - hoodie(table).count(
            _.endsWith(".commit")
          )
          assert(pending == 0)
        }
    }
  }

  // F16, F27
  test("an answer that stays unknown is said to be so and nothing is deleted") {
    use { table =>
      table.merge(1)(_ => "a")
      val started = table.start(table.snapshot, Seq(1))(_ + "b")
      val blind = new Storage {
        def longListing: Int = LocalStorage.longListing
        private val blinded = new java.util.concurrent.atomic.AtomicBoolean
        private def see[A](path: Path)(call: => A): A =
          if (blinded.get && path.toString.contains(".hudilite")) throw new IOException("timeout")
          else call
        def list(dir: Path, detailed: String => Boolean) =
          see(dir)(LocalStorage.list(dir, detailed))
        def status(path: Path) = see(path)(LocalStorage.status(path))
        def read(path: Path) = see(path)(LocalStorage.read(path))
        def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          LocalStorage.createNew(path, bytes)
          if (path.toString.contains(".hudilite/commits")) blinded.set(true)
          see(path)(true)
        }
        def replace(path: Path, bytes: Array[Byte]): Unit = LocalStorage.replace(path, bytes)
        def delete(path: Path) = LocalStorage.delete(path)
        def guarantee = LocalStorage.guarantee
        def deleteTree(dir: Path) = LocalStorage.deleteTree(dir)
        def deleteEmpty(dir: Path) = LocalStorage.deleteEmpty(dir)
        def mkdirs(dir: Path) = LocalStorage.mkdirs(dir)
        def fsync(path: Path) = LocalStorage.fsync(path)
      }
      started.transaction.abort()
      val unsure = new TestTable(table.base, blind).start(table.snapshot, Seq(1))(_ + "b")
      val e = intercept[HudiliteException](unsure.commit())
      assert(e.condition == "HUDILITE_COMMIT_STATE_UNKNOWN" && e.getCause.getMessage == "timeout")
      assert(!unsure.transaction.abort())
      assert(table.rows() == Map(1 -> "ab"))
      assert(table.merge(1)(_ + "c").number == 3)
      assert(table.rows() == Map(1 -> "abc"))
    }
  }

  test("a number that was made while the numbers were listed is found by its name") {
    use { table =>
      (1 to 3).foreach(n => table.merge(1)(_ + n.toString))
      val hurried = new ListedTwice {
        override def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] =
          super.list(dir, detailed).filterNot(_.name == "0" * 19 + "2")
      }
      def isMissed = TableCheck.run(TimelineFiles.of(hurried, table.base), files = false).findings
        .exists(_.code == "NUMBER_MISSING")
      assert(Committed.load(TimelineFiles.of(hurried, table.base)).number == 3 && !isMissed)
      LocalStorage.delete(
        Storage.resolve(table.base, ".hoodie/.hudilite/commits/" + "0" * 19 + "2")
      )
      val e = intercept[HudiliteException](Committed.load(TimelineFiles.of(hurried, table.base)))
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE" && isMissed)
    }
  }

  // F27
  test("an unknown outcome without a trace of the number keeps the files") {
    use { table =>
      val e0 = new hudilite.io.UnknownOutcomeException(new Path("x"), new IOException("reset"))
      val storage = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean =
          if (path.toString.contains("commits")) throw e0 else super.createNew(path, bytes)
      }
      table.config
      val started = new TestTable(table.base, storage).start(table.snapshot, Seq(1))(_ => "x")
      assert(condition(started.commit()) == "HUDILITE_COMMIT_STATE_UNKNOWN")
      assert(!started.transaction.abort())
      assert(TempFolder.names(at(table, "p=a")).exists(_.contains(started.transaction.instant)))
    }
  }

  test("a failure before the number keeps its own cause and can be given up") {
    use { table =>
      table.merge(1)(_ => "a")
      val lossy = faulty(table, "createNew:commits/0{19}2$:1:throw")
      val started = lossy.start(lossy.snapshot, Seq(1))(_ + "b")
      val e = intercept[IOException](started.commit())
      assert(e.getMessage.startsWith("fault plan"))
      assert(started.transaction.abort())
      assert(table.rows() == Map(1 -> "a"))
    }
  }

  // F45
  test("a data file that is missing or has another length stops the commit") {
    use { table =>
      val started = table.start(table.snapshot, Seq(1, 2))(_ => "rows")
      TempFolder.write(at(table, started.stats.head.path), "row")
      assert(condition(started.commit()) == "HUDILITE_CORRUPT_DATA_FILE")
      LocalStorage.delete(at(table, started.stats.head.path))
      assert(condition(started.commit()) == "HUDILITE_MISSING_DATA_FILE")
      TempFolder.write(at(table, started.stats.head.path), "rows")
      assert(started.commit().number == 1)
    }
  }

  // F13, F14
  test("files of lost attempts go, and nothing else does") {
    use { table =>
      table.merge(1)(_ => "a")
      val started = table.start(table.snapshot, Seq(1))(_ + "b")
      val winner = started.stats.head.path
      val loser = winner.replaceFirst("_[0-9]+-0-1_", "_77-7-7_")
      val others = Seq(
        "p=a/readme",
        "p=a/x.parquet",
        loser.replace(started.transaction.instant, "29990101000000000")
      )
      (loser +: others).foreach(path => TempFolder.write(at(table, path), "?"))
      assert(started.transaction.removeLosers(Seq("p=a", "p=none"), Set(winner)) == Seq(loser))
      (winner +: others).foreach(path =>
        assert(LocalStorage.status(at(table, path)).nonEmpty, path)
      )
      assert(LocalStorage.status(at(table, loser)).isEmpty)
    }
  }

  test("an abort also finds files without a marker in the given partitions") {
    use { table =>
      val started = table.start(table.snapshot, Seq(1))(_ => "a")
      val stray = started.stats.head.path.replaceFirst("_[0-9]+-0-1_", "_77-7-7_")
      TempFolder.write(at(table, stray), "?")
      assert(started.transaction.abort(Seq("p=a")))
      assert(TempFolder.names(at(table, "p=a")) == Set(".hoodie_partition_metadata"))
      assert(hoodie(table) == Set("hoodie.properties", ".temp"))
    }
  }

  test("a file that a task closes while its write is given up goes as well") {
    use { table =>
      table.config
      var late: () => Unit = () => ()
      val storage = new ListedTwice {
        override def delete(path: Path): Boolean = {
          if (path.getName.endsWith(".inflight")) late()
          super.delete(path)
        }
      }
      val started = new TestTable(table.base, storage).start(table.snapshot, Seq(1))(_ => "a")
      val t = started.transaction.instant
      val stray = started.stats.head.path.replaceFirst("_[0-9]+-0-1_", "_77-7-7_").drop(4)
      late = () => {
        Markers.create(TimelineFiles.of(LocalStorage, table.base), t, "p=a", stray, Markers.Create)
        TempFolder.write(at(table, s"p=a/$stray"), "?")
      }
      assert(Transaction.isOpen(TimelineFiles.of(storage, table.base), t, Instant.commit))
      assert(started.transaction.abort())
      assert(!Transaction.isOpen(TimelineFiles.of(storage, table.base), t, Instant.commit))
      assert(TempFolder.names(at(table, "p=a")) == Set(".hoodie_partition_metadata"))
      assert(TempFolder.names(at(table, ".hoodie/.temp")).isEmpty)
    }
  }

  // F25
  test("pending instants of others are passed over and kept") {
    use { table =>
      val started = table.start(table.snapshot, Seq(1))(_ => "pending")
      assert(table.rows().isEmpty)
      table.merge(1)(_ + "later")
      assert(table.rows() == Map(1 -> "later"))
      val t = started.transaction.instant
      assert(hoodie(table).filter(_.startsWith(t)) == Set(s"$t.commit.requested", s"$t.inflight"))
      assert(LocalStorage.status(at(table, started.stats.head.path)).nonEmpty)
      assert(condition(started.commit()) == "HUDILITE_CONCURRENT_WRITE")
    }
  }

  // F24
  test("a write that was rolled back meanwhile is refused") {
    Seq[(Started, TestTable) => Unit](
      (s, t) => LocalStorage.delete(at(t, s".hoodie/${s.transaction.instant}.inflight")): Unit,
      (s, t) =>
        LocalStorage.delete(at(t, s".hoodie/${s.transaction.instant}.commit.requested")): Unit,
      (s, t) => TempFolder.write(at(t, s".hoodie/${s.transaction.instant}.inflight"), "{}"),
      (s, t) => AvroFiles.rollbackPlan(t.base, "29990101000000000", s.transaction.instant),
      (s, t) => {
        val lost = CommitRecord(
          CommitRecord.Abort,
          s.transaction.instant,
          "commit",
          "other",
          Set.empty,
          None
        )
        new CommitNumbers(TimelineFiles.of(LocalStorage, t.base)).create(1, lost): Unit
      }
    ).foreach { rollback =>
      use { table =>
        val started = table.start(table.snapshot, Seq(1))(_ => "x")
        rollback(started, table)
        assert(condition(started.commit()) == "HUDILITE_WRITE_ROLLED_BACK")
        assert(started.transaction.abort())
      }
    }
  }

  // F22
  test("an instant lies above all others, also above those ahead of the clock") {
    use { table =>
      table.config
      TempFolder.write(at(table, ".hoodie/29990101000000000.clean.requested"), "")
      assert(table.log.begin(CommitBase.empty).instant == "29990101000000001")
      assert(table.log.begin(CommitBase.empty).instant == "29990101000000002")
    }
  }

  test("an instant lies above one that was completed since the snapshot, ahead of the clock") {
    use { table =>
      table.merge(1)(_ => "a")
      val base = table.snapshot.base
      assert(base.last.nonEmpty)
      TempFolder.write(at(table, ".hoodie/29990101000000000.clean"), "")
      assert(table.log.begin(base).instant == "29990101000000001")
      assert(LocalStorage.names(at(table, ".hoodie")).count(_.endsWith(".commit.requested")) == 2)
    }
  }

  test("an instant that another action has taken since the snapshot is given up") {
    use { table =>
      table.merge(1)(_ => "a")
      val base = table.snapshot.base
      val racing = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]) = {
          val rival = path.getName.stripSuffix(".commit.requested")
          if (
            rival != path.getName && !LocalStorage.names(path.getParent).exists(
              _.endsWith("n.requested")
            )
          )
            TempFolder.write(Storage.resolve(path.getParent, s"$rival.clean.requested"), "")
          super.createNew(path, bytes)
        }
      }
      val taken = new TestTable(table.base, racing).log.begin(base).instant
      val names = LocalStorage.names(at(table, ".hoodie"))
      assert(names.count(_.endsWith(".clean.requested")) == 1)
      assert(!names.contains(s"$taken.clean.requested"))
      assert(names.count(_.endsWith(".commit.requested")) == 2)
    }
  }

  test("the inflight file holds the writer") {
    use { table =>
      val t = table.log.begin(CommitBase.empty).instant
      val file = at(table, s".hoodie/$t.inflight")
      val plan = table.files.codec.decodeCommit(LocalStorage.read(file), file)
      assert(plan.stats.isEmpty && plan.extra.keySet == Set(CommitLog.writerKey))
    }
  }

  test("a commit may write no file at all") {
    use { table =>
      table.config
      assert(table.log.begin(CommitBase.empty).commit(metadata, Set.empty).number == 1)
      assert(table.snapshot.number == 1 && table.rows().isEmpty)
    }
  }
}
