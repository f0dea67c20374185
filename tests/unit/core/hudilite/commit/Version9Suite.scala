package hudilite.commit

import java.time.ZoneId

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.BaseFileName
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.service.{Cleaner, Restore, Retention, Savepoints}
import hudilite.timeline.{Instant, InstantTime, StockCommits, Timeline, TimelineFiles}
import hudilite.verify.TableCheck
import hudilite.view.TestTable
import hudilite.view.TestTable.useVersion9

/** Writes to tables of version 9: names, times of completion and numbers. */
class Version9Suite extends AnyFunSuite {
  private def at(table: TestTable, path: String): Path = Storage.resolve(table.base, path)

  private def names(table: TestTable): Set[String] =
    TempFolder.names(at(table, ".hoodie/timeline")).toSet

  private def completion(table: TestTable, time: String): String =
    Timeline.load(table.files).completed.find(_.time == time).flatMap(_.completion).getOrElse("")

  private def numbers(table: TestTable) = new CommitNumbers(table.files)

  /** A commit of stock Hudi: a file of a bucket and a completed file, no number. */
  private def stock(table: TestTable, time: String, completed: String, bucket: Int): Unit = {
    val id = f"$bucket%08d-aaaa-bbbb-cccc-dddddddddddd-0"
    val path = s"p=a/${BaseFileName(id, "1-1-1", time).text}"
    hudilite.view.PartitionMetafile.write(LocalStorage, table.base, "p=a", time, 1)
    TempFolder.write(at(table, path), s"stock $bucket")
    val stat = TestTable.stat(id, path, None, s"stock $bucket".length.toLong)
    val bytes = StockCommits.file(TestTable.metadata(Seq(stat)))
    LocalStorage.createNew(at(table, s".hoodie/timeline/${time}_$completed.commit"), bytes): Unit
  }

  test("a commit has the names of version 9, all in the folder of the timeline") {
    useVersion9 { table =>
      val t = table.merge(1)(_ => "a").instant
      val c = completion(table, t)
      assert(names(table) == Set(s"$t.commit.requested", s"$t.inflight", s"${t}_$c.commit"))
      assert(c > t && numbers(table).read(1).completion.contains(c))
      assert(TempFolder.names(at(table, ".hoodie")).toSet ==
        Set("hoodie.properties", "timeline", ".hudilite", ".temp"))
      assert(table.rows() == Map(1 -> "a"))
      assert(TableCheck.run(table.files, files = true).findings.isEmpty)
    }
  }

  test(
    "an instant and its time of completion lie above all others, also ahead of the clock"
  ) {
    useVersion9 { table =>
      stock(table, "29990101000000000", "29990101000000500", 7)
      val t = table.merge(1)(_ => "a").instant
      assert(t == "29990101000000501" && completion(table, t) == "29990101000000502")
      val later = table.merge(1)(_ + "b").instant
      assert(later == "29990101000000503" && completion(table, later) == "29990101000000504")
    }
  }

  test(
    "of two completed files of an instant, the later one counts for the next time of completion"
  ) {
    useVersion9 { table =>
      stock(table, "29990101000000000", "29990101000000500", 7)
      stock(table, "29990101000000000", "29990101000000900", 7)
      val t = table.merge(1)(_ => "a").instant
      assert(completion(table, t) == "29990101000000902")
    }
  }

  test("both times are in the zone of the table") {
    TempFolder.use { dir =>
      val zone = ZoneId.of("America/Los_Angeles")
      val now = System.currentTimeMillis
      val table = TestTable.ofVersion9(Storage.resolve(dir, "t"), clock = () => now, zone = zone)
      val t = table.merge(1)(_ => "a").instant
      assert(t == InstantTime.at(now, zone))
      assert(completion(table, t) == InstantTime.at(now + 1, zone))
    }
  }

  test("writers of different buckets complete in the order of their numbers at one time") {
    TempFolder.use { dir =>
      val now = System.currentTimeMillis
      val table = TestTable.ofVersion9(Storage.resolve(dir, "t"), clock = () => now)
      val snapshot = table.snapshot
      val started = (1 to 3).map(n => table.start(snapshot, Seq(n))(_ => s"$n"))
      val done = started.reverse.map(_.commit())
      val completions = done.sortBy(_.number).map(of => completion(table, of.instant))
      assert(completions == completions.sorted && completions.distinct.size == 3)
      assert(table.rows() == Map(1 -> "1", 2 -> "2", 3 -> "3"))
    }
  }

  // F07
  test("everybody publishes a number under the same name with the same bytes") {
    useVersion9 { table =>
      table.merge(1)(_ => "a")
      val t = table.merge(1)(_ + "b").instant
      val done = at(table, s".hoodie/timeline/${t}_${completion(table, t)}.commit")
      val published = LocalStorage.read(done)
      Version9Suite.unpublish(table, t)
      assert(table.rows() == Map(1 -> "ab") && table.snapshot.lastInstant.contains(t))
      assert(table.merge(2)(_ => "c").number == 3)
      assert(LocalStorage.read(done).sameElements(published))
      assert(names(table).count(_.startsWith(s"${t}_")) == 1)
      assert(table.rows() == Map(1 -> "ab", 2 -> "c"))
    }
  }

  test("a number from before an upgrade that was not published gets an abort record") {
    useVersion9 { table =>
      table.merge(1)(_ => "a")
      val t = table.merge(1)(_ + "b").instant
      val number = at(table, s".hoodie/.hudilite/commits/${"0" * 19}2")
      val record = numbers(table).read(2).copy(completion = None)
      Version9Suite.unpublish(table, t)
      LocalStorage.replace(number, TempFolder.bytes(record.toJson))
      assert(table.rows() == Map(1 -> "a"))
      assert(table.merge(2)(_ => "c").number == 4)
      assert(numbers(table).read(3).kind == CommitRecord.Abort)
      assert(table.rows() == Map(1 -> "a", 2 -> "c"))
    }
  }

  test("commits of other programs get numbers in the order in which they were completed") {
    useVersion9 { table =>
      val (first, second) = ("20200101000000000", "20200102000000000")
      stock(table, first, "20200104000000000", 1)
      stock(table, second, "20200103000000000", 2)
      val before = Committed.steps(table.files)
      assert(before == Vector(Vector(second), Vector(first)))
      assert(table.merge(3)(_ => "a").number == 3)
      assert((1L to 2L).map(numbers(table).read(_).instant) == Seq(second, first))
      assert(Committed.steps(table.files).take(2) == before)
    }
  }

  test("a rollback has a time of completion, and leaves nothing of the instant") {
    useVersion9 { table =>
      table.merge(1)(_ => "a")
      val lost = table.start(table.snapshot, Seq(2))(_ => "b").transaction.instant
      val done = table.log.rollback.rollBack(lost)
      val t = done.map(_.rollback).getOrElse("")
      val (own, others) = names(table).partition(_.startsWith(t))
      assert(own.exists(_.matches(s"${t}_[0-9]{17}\\.rollback")))
      assert(own.size == 3 && !others.exists(_.startsWith(lost)))
      assert(table.log.rollback.rollBack(lost).isRight)
      assert(names(table).count(_.endsWith(".rollback")) == 1, "it is completed once")
      assert(table.rows() == Map(1 -> "a"))
    }
  }

  test("clean, savepoint and restore have times of completion and are found by them") {
    useVersion9 { table =>
      val times = (1 to 4).map(n => table.merge(1)(_ + s"$n").instant)
      val savepoints = new Savepoints(table.files)
      def save() = savepoints.create(table.config, times(1), "me", "", System.currentTimeMillis)
      assert(save().isNew && !save().isNew)
      assert(names(table).count(_.matches(s"${times(1)}_[0-9]{17}\\.savepoint")) == 1)
      assert(savepoints.instants() == Seq(times(1)))
      val cleaner =
        new Cleaner(table.files, table.config, table.log, () => System.currentTimeMillis)
      val cleaned = cleaner.run(Retention(1, 0))
      assert(cleaned.deleted.size == 2 && cleaned.saved == 1)
      assert(names(table).count(_.matches(s"${cleaned.instant.mkString}_[0-9]{17}\\.clean")) == 1)
      assert(savepoints.delete(times(1)) && !savepoints.delete(times(1)))
      assert(!names(table).exists(_.contains("savepoint")))
      val restored =
        new Restore(table.files, table.config, table.log, () => System.currentTimeMillis)
          .run(times(1))
      assert(restored.lost == Seq(times(3), times(2)) && table.rows() == Map(1 -> "12"))
      assert(!names(table).exists(n => n.startsWith(times(2)) || n.startsWith(times(3))))
      assert(
        names(table).count(_.matches(s"${restored.instant.mkString}_[0-9]{17}\\.restore")) == 1
      )
      assert(TableCheck.run(table.files, files = true).findings.isEmpty)
    }
  }

  test("a restore undoes a clustering with the files of both of its names") {
    useVersion9 { table =>
      val t = table.merge(1)(_ => "a").instant
      val old = TestTable.slice(table.snapshot, "p=a", 1).fold("")(_.fileId)
      val c = "29990101000000000"
      TempFolder.write(at(table, s".hoodie/timeline/$c.clustering.requested"), "x")
      TempFolder.write(at(table, s".hoodie/timeline/$c.clustering.inflight"), "")
      LocalStorage.createNew(
        at(table, s".hoodie/timeline/${c}_29990101000000001.replacecommit"),
        StockCommits.file(TestTable.metadata(Nil).copy(replacedFileIds = Map("p=a" -> Seq(old))))
      )
      new Restore(table.files, table.config, table.log, () => System.currentTimeMillis).run(t)
      assert(!names(table).exists(_.startsWith(c)))
    }
  }
}

object Version9Suite {

  /** Leaves a table as after a crash between the number and the completed file of a commit. */
  def unpublish(table: TestTable, time: String): Unit = {
    val files = TimelineFiles.of(LocalStorage, table.base)
    files.instants().filter(i => i.time == time && i.state == Instant.Completed)
      .foreach(files.delete)
    val hints = Storage.resolve(table.base, ".hoodie/.hudilite/commits")
    TempFolder.names(hints).filter(_.endsWith(s"-$time"))
      .foreach(name => LocalStorage.delete(Storage.resolve(hints, name)))
  }
}
