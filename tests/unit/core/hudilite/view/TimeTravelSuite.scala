package hudilite.view

import java.time.{ZoneId, ZoneOffset}

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline._

class TimeTravelSuite extends AnyFunSuite {
  import TestTable.use

  private def as(table: TestTable, asked: AsOf): TableSnapshot =
    TableSnapshot.load(LocalStorage, table.base, table.config, Some(asked))

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
}
