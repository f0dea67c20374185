package hudilite.commit

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.TableVersion
import hudilite.lock.LockFile
import hudilite.service.{Restore, VersionChange}
import hudilite.timeline.Timeline
import hudilite.view.TestTable

/** Writes to a table that stock Hudi writes at the same time, under its lock. */
class SharedTableSuite extends AnyFunSuite {

  private def use(test: SharedTable => Any): Unit =
    TestTable.useVersion9(table => test(new SharedTable(table.base)): Unit)

  private def failure(body: => Any): HudiliteException = intercept[HudiliteException](body)

  test("a write begins and commits under the lock, and has a heartbeat in between") {
    use { test =>
      val started = test.table.start(test.table.snapshot, Seq(1))(_ => "a")
      assert(test.beats == Set(started.transaction.instant))
      assert(test.writes.effects.map(_._2.expired) == Vector(false, true))
      started.commit()
      assert(test.writes.effects.map(_._2.expired) == Vector(false, true, false, true))
      assert(test.beats.isEmpty && test.table.rows() == Map(1 -> "a"))
    }
  }

  test("a write that is aborted leaves no heartbeat, and no lock") {
    use { test =>
      assert(test.table.start(test.table.snapshot, Seq(1))(_ => "a").transaction.abort())
      assert(test.beats.isEmpty && test.writes.now.exists(_.expired))
    }
  }

  test("a commit of stock Hudi to the same bucket is a conflict, one to another is not") {
    use { test =>
      test.table.merge(1, 2)(_ => "a")
      for ((bucket, expected) <- Seq(5 -> false, 1 -> true)) {
        val started = test.table.start(test.table.snapshot, Seq(1))(_ + "b")
        val time = s"2999010100000000$bucket"
        test.commits(time, time.replace("2999", "3000"), bucket)
        val found =
          try { started.commit(); false }
          catch { case e: HudiliteException => e.condition == "HUDILITE_CONCURRENT_WRITE" }
        assert(found == expected, bucket)
        started.transaction.abort()
      }
    }
  }

  test("a compaction or clustering that stock Hudi plans meanwhile is a conflict") {
    use { test =>
      test.table.merge(1)(_ => "a")
      for (service <- Seq("compaction", "clustering")) {
        val started = test.table.start(test.table.snapshot, Seq(1))(_ + "b")
        test.plant(s"timeline/29990101000000000.$service.requested")
        val e = failure(started.commit())
        assert(e.condition == "HUDILITE_CONCURRENT_WRITE")
        assert(e.parameters("bucket") == s"all, because a $service was planned")
        assert(started.transaction.abort() && test.table.rows() == Map(1 -> "a"))
        test.removes(s"timeline/29990101000000000.$service.requested")
      }
      test.table.merge(1)(_ + "c")
      assert(test.table.rows() == Map(1 -> "ac"))
    }
  }

  test("new keys of stock Hudi are a conflict with a write that depends on their absence") {
    use { test =>
      test.commits("29990101000000000", "29990101000000500", 7)
      test.table.log.settle()
      val record = new CommitNumbers(test.table.files).read(1)
      assert(record.touched.exists(_.group == "new") && record.touched.size == 2)
    }
  }

  test("a write gets an instant below one of stock Hudi that is starting, and above all commits") {
    use { test =>
      val first = test.table.merge(1)(_ => "a").instant
      test.starts("29990101000000000")
      val second = test.table.merge(1)(_ + "b").instant
      val third = test.table.merge(1)(_ + "c").instant
      assert(first < second && second < third && third < "29990101000000000")
      assert(test.table.rows() == Map(1 -> "abc"))
      test.plant("timeline/29990101000000000.inflight", "{}")
      assert(test.table.merge(1)(_ + "d").instant == "29990101000000001")
    }
  }

  test("a write of stock Hudi without a heartbeat is dead, and not waited for") {
    use { test =>
      test.starts("29990101000000000")
      test.late.set(130000L)
      assert(test.table.merge(1)(_ => "a").instant == "29990101000000001")
    }
  }

  test("a write waits if no instant is left below one of stock Hudi that is starting") {
    use { test =>
      test.commits("29990101000000000", "29990101000000500", 7)
      test.starts("29990101000000001")
      val e = failure(test.table.merge(1)(_ => "a"))
      assert(e.condition == "HUDILITE_LOCK_TIMEOUT")
      assert(e.parameters("reason").contains("write 29990101000000001 of stock Hudi"))
    }
  }

  test("a metadata table is refused and never detached") {
    use { test =>
      for (inflight <- Seq("", "record_index")) {
        MetadataFolders.plant(test.table.base, inflight = inflight)
        val e = failure(test.table.merge(1)(_ => "a"))
        assert(
          e.condition == "HUDILITE_UNSUPPORTED_TABLE" && e.parameters("fact") == "metadata table"
        )
        assert(e.parameters("value").startsWith(MetadataFolders.partitions))
        assert(MetadataFolders.exists(test.table.base) && test.table.snapshot.number == 0)
      }
      MetadataFolders.set(
        test.table.base,
        "hoodie.table.metadata.partitions" -> "",
        "hoodie.table.metadata.partitions.inflight" -> ""
      )
      assert(failure(test.table.merge(1)(_ => "a")).parameters("value") == ".hoodie/metadata")
    }
  }

  test("a write of a session that does not know the fact yet fails") {
    use { test =>
      val other = new TestTable(test.table.base, isWatched = true)
      val e = failure(other.merge(1)(_ => "a"))
      assert(e.condition == "HUDILITE_CONCURRENT_WRITE")
      assert(e.parameters("bucket") == "all, because hudilite.stock.lock was changed")
    }
  }

  test("a write whose lock another has taken gets no number") {
    use { test =>
      val started = test.table.start(test.table.snapshot, Seq(1))(_ => "a")
      val other = LockFile(expired = false, System.currentTimeMillis + 900000L, "other")
      // The second look is the one after the lock was taken.
      test.writes.afterLooks(() => (), () => { test.writes.by(other); test.late.set(200000L) })
      val e = failure(started.commit())
      assert(e.condition == "HUDILITE_CONCURRENT_WRITE" && test.writes.now.contains(other))
      assert(test.table.snapshot.number == 0 && started.transaction.abort())
    }
  }

  test("a write whose heartbeat is alive is not rolled back") {
    use { test =>
      test.starts("20200101000000000")
      val rollback = test.table.log.rollback
      assert(rollback.rollBackOlderThan(0).isEmpty)
      assert(rollback.rollBack("20200101000000000") == Left(Rollback.IsAlive))
      test.late.set(130000L)
      assert(rollback.rollBackOlderThan(0).map(_.instant) == Seq("20200101000000000"))
      assert(test.beats.isEmpty && test.writes.now.exists(_.expired))
    }
  }

  test("a restore waits for no write: it fails while one is pending") {
    use { test =>
      val first = test.table.merge(1)(_ => "a").instant
      test.table.merge(1)(_ + "b")
      val restore =
        new Restore(test.table.files, test.table.config, test.table.log, () => 0L)
      test.starts("29990101000000000")
      assert(failure(restore.run(first)).parameters("fact") == "pending write")
      assert(Timeline.named(test.table.files).completed.size == 2)
    }
  }

  test("the version of the table does not become one without the lock") {
    use { test =>
      val change = new VersionChange(test.table.files, test.table.log, test.table.zone)
      assert(failure(change.run(TableVersion.Six)).parameters("fact") == "hudilite.stock.lock")
      assert(change.run(TableVersion.Eight).isChanged)
    }
  }
}
