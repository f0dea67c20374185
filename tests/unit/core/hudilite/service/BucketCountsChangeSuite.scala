package hudilite.service

import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.AsOf
import hudilite.error.HudiliteException
import hudilite.format.BucketCounts
import hudilite.timeline.Instant
import hudilite.verify.TableCheck
import hudilite.view.{Checkpoints, TableSnapshot, TestTable}

/** Changes of the numbers of buckets of a table: each state keeps its own, and writers that were planned
  * for others start again. */
class BucketCountsChangeSuite extends AnyFunSuite {
  private val more = BucketCounts(16, 32, takesOther = true)

  private def change(table: TestTable) = new BucketCountsChange(table.files, table.log)

  private def changed(table: TestTable, counts: BucketCounts): Unit =
    assert(change(table).run(counts, table.snapshot.number))

  private def countsAt(table: TestTable, instant: String): BucketCounts =
    TableSnapshot.load(table.files, table.config, Some(AsOf.Version(instant))).counts.get

  private def hint(table: TestTable, counts: BucketCounts): String =
    table.base.toUri.getPath + "/.hoodie/.hudilite/commits/" +
      f"${table.snapshot.number}%020d-${Instant.ofCounts(counts)}"

  test("the counts of a number are in its instant") {
    Seq(more, BucketCounts(100000, 1, takesOther = false), BucketCounts.of(7)).foreach { counts =>
      val instant = Instant.ofCounts(counts)
      assert(Instant.isTime(instant) && Instant.isChange(instant))
      assert(Instant.countsOf(instant).contains(counts))
    }
    assert(Instant.countsOf("20240101000000000").isEmpty)
    assert(Instant.countsOf(Instant.ofType(isMergeOnRead = true)).isEmpty)
  }

  test("each state keeps its counts, also those before the first change") {
    TestTable.use { table =>
      val first = table.merge(1)(_ => "a").instant
      assert(table.snapshot.counts.contains(BucketCounts.of(16)))
      changed(table, more)
      assert(table.snapshot.counts.contains(more))
      val second = table.merge(1)(_ + "b").instant
      changed(table, BucketCounts.of(32))
      change(table).declare(32)
      val third = table.merge(2)(_ => "c").instant
      assert(table.config.properties("hudilite.bucket.count") == "32")
      assert(Seq(first, second, third).map(countsAt(table, _)) ==
        Seq(BucketCounts.of(16), more, BucketCounts.of(32)))
      assert(TableCheck.run(table.files, files = true).findings.isEmpty)
    }
  }

  test("a commit of another program after a change has the counts of the change") {
    TestTable.use { table =>
      changed(table, more)
      table.merge(1)(_ => "a"): Unit
      changed(table, BucketCounts.of(32))
      change(table).declare(32)
      val instant = "29990101000000000"
      val file = new java.io.File(table.base.toUri.getPath, s".hoodie/$instant.commit")
      java.nio.file.Files.write(file.toPath, "{}".getBytes): Unit
      assert(countsAt(table, instant) == BucketCounts.of(32))
    }
  }

  test("a write that was begun before a change conflicts, whatever it touches") {
    TestTable.use { table =>
      table.merge(1)(_ => "a"): Unit
      val late = table.start(table.snapshot, Seq(5))(_ => "b")
      changed(table, more)
      assert(intercept[HudiliteException](late.commit()).condition == "HUDILITE_CONCURRENT_WRITE")
      table.merge(5)(_ => "b"): Unit
      assert(table.rows() == Map(1 -> "a", 5 -> "b"))
    }
  }

  test("a change comes right after the commit that was looked at, or not at all") {
    TestTable.use { table =>
      table.merge(1)(_ => "a"): Unit
      val seen = table.snapshot.number
      table.merge(2)(_ => "b"): Unit
      assert(!change(table).run(more, seen) && table.snapshot.counts.contains(BucketCounts.of(16)))
      changed(table, more)
    }
  }

  test("a checkpoint keeps the counts") {
    TestTable.use { table =>
      table.merge(1)(_ => "a"): Unit
      changed(table, more)
      (1 to 25).foreach { n =>
        val number = table.merge(n % 3)(_ + s"$n ").number
        Checkpoints.afterCommit(table.files, table.config, number)
        assert(table.snapshot.counts.contains(more), n)
      }
      changed(table, BucketCounts.of(32))
      (1 to 12).foreach { n =>
        val number = table.merge(n % 3)(_ + s"$n ").number
        Checkpoints.afterCommit(table.files, table.config, number)
        assert(table.snapshot.counts.contains(BucketCounts.of(32)), n)
      }
    }
  }

  test("a change counts without the hint of its number, as after a crash") {
    TestTable.use { table =>
      table.merge(1)(_ => "a"): Unit
      changed(table, more)
      assert(new java.io.File(hint(table, more)).delete())
      assert(table.snapshot.counts.contains(more))
      table.merge(1)(_ + "b"): Unit
      assert(table.snapshot.counts.contains(more))
    }
  }

  test("the number of buckets is declared once") {
    TestTable.use { table =>
      table.merge(1)(_ => "a"): Unit
      change(table).declare(16)
      assert(table.config.properties("hudilite.bucket.count") == "16")
      change(table).declare(32)
      assert(table.config.properties("hudilite.bucket.count") == "32")
    }
  }
}
