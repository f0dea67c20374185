package hudilite.view

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Paths}
import java.time.{ZoneId, ZoneOffset}

import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.{AsOf, Committed}
import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{AvroFiles, CommitMetadata, InstantTime}

class TimeTravelSuite extends AnyFunSuite {
  import TestTable.use

  private def as(table: TestTable, asked: AsOf): TableSnapshot =
    TableSnapshot.load(table.files, table.config, Some(asked))

  private def at(table: TestTable, instant: String): TableSnapshot =
    as(table, AsOf.Version(instant))

  private def condition(work: => Any): String = intercept[HudiliteException](work).condition

  test("each version has the rows that its commit left") {
    use { table =>
      val first = table.merge(1, 2)(_ => "one").instant
      val second = table.merge(2, 3)(_ + "+two").instant
      val third = table.merge(1)(_ + "+three").instant
      assert(table.rows(at(table, first)) == Map(1 -> "one", 2 -> "one"))
      assert(table.rows(at(table, second)) == Map(1 -> "one", 2 -> "one+two", 3 -> "+two"))
      assert(table.rows(at(table, third)) == table.rows())
      assert(Seq(first, second, third).map(at(table, _).number) == Seq(1, 2, 3))
      assert(at(table, first).isPast && !table.snapshot.isPast)
    }
  }

  test("commits that overlapped count in the order of their numbers") {
    use { table =>
      table.merge(1)(_ => "one")
      val early = table.start(table.snapshot, Seq(2))(_ => "early")
      val late = table.start(table.snapshot, Seq(3))(_ => "late").commit().instant
      val last = early.commit().instant
      assert(last < late)
      assert(table.rows(at(table, late)) == Map(1 -> "one", 3 -> "late"))
      assert(table.rows(at(table, last)) == Map(1 -> "one", 2 -> "early", 3 -> "late"))
      assert(table.rows(as(table, AsOf.Until(last, "then"))) == Map(1 -> "one"))
      assert(table.rows(as(table, AsOf.Until(late, "then"))) == table.rows())
    }
  }

  test("what has no number yet comes after what has one") {
    use { table =>
      val first = table.merge(1)(_ => "one").instant
      val stranger = "20200101000000000"
      TempFolder.write(
        Storage.resolve(table.base, s".hoodie/$stranger.commit"),
        CommitMetadata("UPSERT", "", Nil).toJson
      )
      assert(at(table, first).instants == Seq(first))
      assert(at(table, stranger).instants == Seq(stranger, first))
      assert(at(table, stranger).number == 1)
    }
  }

  test("a commit without a number is settled once no write with an earlier instant is pending") {
    use { table =>
      def settled = Committed.earlier(table.files).settledSteps
      def plant(name: String, content: String = "") =
        TempFolder.write(Storage.resolve(table.base, s".hoodie/$name"), content)
      val commit = CommitMetadata("UPSERT", "", Nil).toJson
      val (slow, quick) = ("29990101000000000", "29990101000000001")
      table.merge(1)(_ => "one")
      Seq("commit.requested", "inflight").foreach(end => plant(s"$slow.$end"))
      assert(settled == 1)
      plant(s"$quick.commit", commit)
      assert(Committed.steps(table.files).size == 2)
      assert(settled == 1)
      plant(s"$slow.commit", commit)
      assert(settled == 3)
    }
  }

  test("a commit with a number is settled, and a clustering is not waited for") {
    use { table =>
      def settled = Committed.earlier(table.files).settledSteps
      table.merge(1)(_ => "one")
      val slow = table.start(table.snapshot, Seq(2))(_ => "slow")
      table.merge(3)(_ => "quick")
      assert(settled == 2)
      slow.commit()
      val commit = CommitMetadata("UPSERT", "", Nil).toJson
      TempFolder.write(Storage.resolve(table.base, ".hoodie/29990101000000002.commit"), commit)
      AvroFiles.requestedReplace(table.base, "29990101000000000", isClustering = true)
      assert(settled == 4)
      AvroFiles.requestedReplace(table.base, "29990101000000001", isClustering = false)
      assert(settled == 3)
    }
  }

  test("a version that is none is refused, whatever became of it") {
    use { table =>
      def refused(asked: AsOf) = assert(condition(as(table, asked)) == "HUDILITE_VERSION_NOT_FOUND")
      refused(AsOf.Version("20240101000000000"))
      refused(AsOf.Until("29991231000000000", "ever"))
      table.merge(1)(_ => "one")
      val pending = table.start(table.snapshot, Seq(2))(_ => "two").transaction.instant
      refused(AsOf.Version(pending))
      refused(AsOf.Version("20240101000000000"))
      refused(AsOf.Until("20240101000000000", "before"))
    }
  }

  test("a version that lost a file is refused where the file belongs, and later ones are read") {
    use { table =>
      val first = table.merge(1, 2)(_ => "one").instant
      val second = table.merge(2)(_ + "+two").instant
      val lost = at(table, first).slices(table.partition).find(_.fileId.startsWith("00000002")).get
      LocalStorage.delete(lost.path)
      assert(condition(at(table, first).slices(table.partition)) == "HUDILITE_SNAPSHOT_EXPIRED")
      assert(table.rows(at(table, second)) == table.rows())
    }
  }

  test("of an archived commit a later one tells that it had the file") {
    use { table =>
      val first = table.merge(1, 2)(_ => "one").instant
      val second = table.merge(1)(_ + "+two").instant
      table.merge(2)(_ + "+three")
      val lost = at(table, first).slices(table.partition).find(_.fileId.startsWith("00000002")).get
      Seq(".commit", ".inflight", ".commit.requested").foreach { end =>
        LocalStorage.delete(Storage.resolve(table.base, s".hoodie/$first$end"))
      }
      assert(condition(at(table, first)) == "HUDILITE_VERSION_NOT_FOUND")
      assert(table.rows(at(table, second)) == Map(1 -> "one+two", 2 -> "one"))
      LocalStorage.delete(lost.path)
      assert(condition(at(table, second).slices(table.partition)) == "HUDILITE_SNAPSHOT_EXPIRED")
    }
  }

  test("moments are told in the zone of the timeline") {
    assert(InstantTime.at(0, ZoneOffset.UTC) == "19700101000000000")
    assert(InstantTime.at(1, ZoneId.of("Asia/Tokyo")) == "19700101090000001")
    assert(AsOf.moment(1999, ZoneOffset.UTC, "x") == AsOf.Until("19700101000000001", "x"))
  }

  /** Clocks in Los Angeles go from two to one: 2024-11-03 09:00 in UTC. */
  private val putBack = 1730624400000L
  private val minute = 60000L

  private def asked(minutes: Int) =
    AsOf.moment((putBack + minutes * minute) * 1000, ZoneId.of("America/Los_Angeles"), "then")

  private def touch(table: TestTable, instant: String, millis: Long): Unit = {
    val requested = Storage.resolve(table.base, s".hoodie/$instant.commit.requested")
    Files.setLastModifiedTime(Paths.get(requested.toUri), FileTime.fromMillis(millis)): Unit
  }

  // F22
  test("in an hour that clocks show twice a commit's files tell when it began") {
    val begun = Seq(-70, -50, -20, 5, 30, 70)
    var now = 0L
    TempFolder.use { dir =>
      val table = new TestTable(
        Storage.resolve(dir, "t"),
        clock = () => now,
        zone = ZoneId.of("America/Los_Angeles")
      )
      val instants = begun.map { minutes =>
        now = putBack + minutes * minute
        val instant = table.merge(1)(_ + s"$minutes ").instant
        touch(table, instant, now)
        instant
      }
      assert(instants == instants.sorted && instants(3) == "20241103014000001")
      def seen(minutes: Int) = as(table, asked(minutes)).instants
      // Shown: 12:50, 1:10, 1:40; 1:05, 1:30, 2:10.
      Seq(-60 -> 1, -51 -> 1, -49 -> 2, -21 -> 2, -19 -> 3, -1 -> 3, 0 -> 3, 4 -> 3, 6 -> 4,
        29 -> 4,
        31 -> 5, 59 -> 5, 60 -> 5, 69 -> 5, 71 -> 6).foreach { case (minutes, commits) =>
        assert(seen(minutes) == instants.take(commits), s"$minutes minutes")
      }
    }
  }

  // F22
  test(
    "in an hour that clocks show twice a copied table tells no order, and its commits are named"
  ) {
    var now = putBack - 50 * minute
    TempFolder.use { dir =>
      val table = new TestTable(
        Storage.resolve(dir, "t"),
        clock = () => now,
        zone = ZoneId.of("America/Los_Angeles")
      )
      val first = table.merge(1)(_ => "one").instant
      now = putBack + 70 * minute
      table.merge(1)(_ => "two")
      touch(table, first, putBack + 1000 * minute)
      assert(condition(as(table, asked(-40))) == "HUDILITE_VERSION_NOT_FOUND")
      assert(as(table, asked(65)).instants == Seq(first))
      assert(at(table, first).instants == Seq(first))
    }
  }
}
