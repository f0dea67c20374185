package hudilite.commit

import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.{FileEntry, LocalStorage, Storage, TempFolder}
import hudilite.timeline.{
  AvroFiles,
  CommitMetadata,
  ListedTwice,
  Rollbacks,
  Timeline,
  TimelineFiles
}
import hudilite.view.TestTable
import hudilite.view.TestTable.use

/** What others left on the timeline: commits without a number, numbers without a completed file. */
class RecoverySuite extends AnyFunSuite {
  private def at(table: TestTable, path: String): Path = Storage.resolve(table.base, path)

  private def numbers(table: TestTable) =
    new CommitNumbers(TimelineFiles.of(LocalStorage, table.base))

  private def exists(table: TestTable, path: String): Boolean =
    LocalStorage.status(at(table, path)).nonEmpty

  /** A commit of stock Hudi: a file of a bucket and a completed file, no number. */
  private def stock(table: TestTable, time: String, bucket: Int, rows: String): Unit = {
    val id = TestTable.slice(table.snapshot, "p=a", bucket)
      .fold(f"$bucket%08d-aaaa-bbbb-cccc-dddddddddddd-0")(_.fileId)
    val path = s"p=a/${BaseFileName(id, "1-1-1", time).text}"
    hudilite.view.PartitionMetafile.write(LocalStorage, table.base, "p=a", time, 1)
    TempFolder.write(at(table, path), rows)
    val stat = TestTable.stat(id, path, None, rows.length.toLong)
    TempFolder.write(at(table, s".hoodie/$time.commit"), TestTable.metadata(Seq(stat)).toJson)
  }

  /** The table after a crash between the number and the completed file of the last commit. */
  private def unpublish(table: TestTable, time: String): Unit = {
    LocalStorage.delete(at(table, s".hoodie/$time.commit"))
    val hint = TempFolder.names(at(table, ".hoodie/.hudilite/commits")).find(_.endsWith(s"-$time"))
    hint.foreach(name => LocalStorage.delete(at(table, s".hoodie/.hudilite/commits/$name")))
  }

  test("commits of stock Hudi get numbers before ours, in order") {
    use { table =>
      stock(table, "20200101000000000", 1, "s1")
      stock(table, "20200102000000000", 2, "s2")
      assert(table.snapshot.number == 0 && table.snapshot.base.instants.size == 2)
      val ours = table.merge(1)(_ + "+ours")
      assert(ours.number == 3)
      assert(
        (1L to 3L).map(numbers(table).read(_).kind.text) == Seq("adopted", "adopted", "commit")
      )
      assert(
        (1L to 2L).map(numbers(table).read(_).instant) == Seq(
          "20200101000000000",
          "20200102000000000"
        )
      )
      assert(table.rows() == Map(1 -> "s1+ours", 2 -> "s2"))
      assert(table.merge(2)(_ + "+ours").number == 4)
    }
  }

  test("a commit of stock Hudi after the snapshot excludes ours on its bucket, not on another") {
    use { table =>
      stock(table, "20200101000000000", 1, "s1")
      val snapshot = table.snapshot
      val (same, other) =
        (table.start(snapshot, Seq(1))(_ + "x"), table.start(snapshot, Seq(2))(_ => "y"))
      stock(table, "20200103000000000", 1, "s1+s3")
      assert(intercept[HudiliteException](same.commit()).condition == "HUDILITE_CONCURRENT_WRITE")
      assert(other.commit().number == 3)
      assert(table.rows() == Map(1 -> "s1+s3", 2 -> "y"))
    }
  }

  test("a replacecommit of stock Hudi gets a number and excludes writes of what it hides") {
    use { table =>
      table.merge(1)(_ => "old")
      val snapshot = table.snapshot
      val id = TestTable.slice(snapshot, "p=a", 1).fold("")(_.fileId)
      val started = table.start(snapshot, Seq(1))(_ + "x")
      val hides = CommitMetadata("INSERT_OVERWRITE", "", Nil, Map("p=a" -> Seq(id)))
      TempFolder.write(at(table, ".hoodie/29990101000000000.replacecommit"), hides.toJson)
      assert(
        intercept[HudiliteException](started.commit()).condition == "HUDILITE_CONCURRENT_WRITE"
      )
      assert(started.transaction.abort())
      assert(numbers(table).read(2).action == "replacecommit")
      assert(table.rows().isEmpty)
    }
  }

  // F07
  test("a number without its completed file counts for readers, and the next writer publishes it") {
    use { table =>
      table.merge(1)(_ => "a")
      val t = table.merge(1)(_ + "b").instant
      val published = TempFolder.text(at(table, s".hoodie/$t.commit"))
      unpublish(table, t)
      assert(table.rows() == Map(1 -> "ab") && table.snapshot.lastInstant.contains(t))
      assert(table.snapshot.schema.contains(TestTable.schema))
      assert(!exists(table, s".hoodie/$t.commit"))
      assert(table.merge(1)(_ + "c").number == 3)
      assert(TempFolder.text(at(table, s".hoodie/$t.commit")) == published)
      assert(table.rows() == Map(1 -> "abc"))
    }
  }

  test("a number that stock Hudi rolled back before it was published gets an abort record") {
    Seq("inflight is gone", "a plan names it", "a done rollback names it", "a restore names it")
      .foreach { how =>
        use { table =>
          table.merge(1)(_ => "a")
          val t = table.merge(1)(_ + "b").instant
          unpublish(table, t)
          how match {
            case "inflight is gone" => LocalStorage.delete(at(table, s".hoodie/$t.inflight")): Unit
            case "a plan names it" => AvroFiles.rollbackPlan(table.base, "29990101000000000", t)
            case "a done rollback names it" =>
              AvroFiles.rollback(table.base, "29990101000000000", t)
            case _ => AvroFiles.restorePlan(table.base, "29990101000000000", t)
          }
          assert(table.rows() == Map(1 -> "a"), how)
          assert(table.merge(1)(_ + "c").number == 4)
          assert(numbers(table).read(3).kind == CommitRecord.Abort)
          assert(numbers(table).read(3).instant == t)
          assert(!exists(table, s".hoodie/$t.commit"))
          assert(table.rows() == Map(1 -> "ac"))
        }
      }
  }

  test("the rollback files of stock Hudi name the instant that they take back") {
    Seq("rollback.requested", "rollback").foreach { state =>
      use { table =>
        table.config
        val name = s"20261121122527316.$state"
        val stock = getClass.getResourceAsStream(s"/stock-1.2.0/$name").readAllBytes
        java.nio.file.Files.write(TempFolder.local(at(table, s".hoodie/$name")), stock)
        val files = TimelineFiles.of(LocalStorage, table.base)
        val timeline = Timeline.load(files)
        def named(t: String): Boolean = Rollbacks.name(files, timeline, t)
        assert(named("20261121122256643") && !named("20261121122254629"))
        assert(!named("20261121122249373"))
      }
    }
  }

  // F35
  test("a rollback file that is cut is refused with its path") {
    use { table =>
      val t = table.merge(1)(_ => "a").instant
      unpublish(table, t)
      TempFolder.write(at(table, ".hoodie/29990101000000000.rollback.requested"), "Obj")
      val e = intercept[HudiliteException](table.rows())
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
      assert(e.parameters("path").endsWith(".rollback.requested"))
    }
  }

  test("a rollback of another instant does not take a number back") {
    use { table =>
      val t = table.merge(1)(_ => "a").instant
      unpublish(table, t)
      AvroFiles.rollbackPlan(table.base, "29990101000000000", "20200101000000000")
      assert(table.rows() == Map(1 -> "a"))
      table.merge(1)(_ + "b")
      assert(exists(table, s".hoodie/$t.commit"))
    }
  }

  test("a number that stock Hudi archived is left alone") {
    use { table =>
      val t = table.merge(1)(_ => "a").instant
      stock(table, "29990101000000000", 2, "s")
      Seq(s"$t.commit", s"$t.inflight", s"$t.commit.requested")
        .foreach(name => LocalStorage.delete(at(table, s".hoodie/$name")))
      assert(table.rows() == Map(1 -> "a", 2 -> "s"))
      assert(table.merge(1)(_ + "b").number == 3)
      assert(numbers(table).read(2).kind == CommitRecord.Adopted)
      assert(table.rows() == Map(1 -> "ab", 2 -> "s"))
    }
  }

  test("a listing that is out of date does not undo a commit") {
    Seq("" -> "commit", ".commit" -> "inflight").foreach { case (gone, seen) =>
      use { table =>
        table.merge(1)(_ => "a")
        val t = table.merge(1)(_ + "b").instant
        if (gone.nonEmpty) unpublish(table, t)
        val stale = new ListedTwice {
          override def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] =
            super.list(dir, detailed).filterNot(_.name.startsWith(t))
        }
        val behind = new TestTable(table.base, stale)
        val e = intercept[HudiliteException](behind.merge(2)(_ => "c"))
        assert(e.condition == "HUDILITE_UNSAFE_STORAGE")
        assert(e.parameters("reason").contains(s"$t.$seen"))
        assert(table.rows() == Map(1 -> "ab") && table.merge(2)(_ => "c").number == 3)
      }
    }
  }

  test("an older number without a completed file is left alone") {
    use { table =>
      val t = table.merge(1)(_ => "a").instant
      table.merge(2)(_ => "b")
      Seq(s"$t.commit", s"$t.inflight", s"$t.commit.requested")
        .foreach(name => LocalStorage.delete(at(table, s".hoodie/$name")))
      assert(table.merge(2)(_ + "c").number == 3)
      assert(!exists(table, s".hoodie/$t.commit"))
    }
  }

  test("hints that are lost are made again") {
    use { table =>
      (1 to 5).foreach(i => table.merge(1)(_ + i))
      val folder = at(table, ".hoodie/.hudilite/commits")
      val before = TempFolder.names(folder)
      before
        .filter(_.contains("-"))
        .foreach(name => LocalStorage.delete(Storage.resolve(folder, name)))
      assert(table.snapshot.number == 5)
      assert(table.merge(1)(_ + "6").number == 6)
      assert(before.subsetOf(TempFolder.names(folder)))
    }
  }

  // F35
  test("a missing or damaged number is refused with its path") {
    use { table =>
      (1 to 3).foreach(i => table.merge(1)(_ + i))
      val folder = at(table, ".hoodie/.hudilite/commits")
      LocalStorage.delete(Storage.resolve(folder, "0" * 19 + "2"))
      val gap = intercept[HudiliteException](table.snapshot)
      assert(
        gap.condition == "HUDILITE_CORRUPT_TIMELINE" && gap.parameters("path").endsWith("0002")
      )
      TempFolder.write(Storage.resolve(folder, "0" * 19 + "2"), "{}")
      LocalStorage.delete(Storage.resolve(folder, "0" * 19 + "3"))
      val highest = intercept[HudiliteException](table.snapshot)
      assert(
        highest.condition == "HUDILITE_CORRUPT_TIMELINE" && highest
          .parameters("path")
          .endsWith("0003")
      )
    }
  }

  // F06, F38
  test("stray files beside the numbers and left-over temporary files do no harm") {
    use { table =>
      table.merge(1)(_ => "a")
      Seq(
        ".hoodie/.hudilite/commits/7",
        ".hoodie/.hudilite/commits/x",
        ".hoodie/.hudilite/commits/.00000000000000000002.u.hudilite-new",
        ".hoodie/.20240101000000000.commit.u.hudilite-new",
        ".hoodie/.hudilite/commits/.DS_Store"
      ).foreach(name => TempFolder.write(at(table, name), ""))
      assert(table.merge(1)(_ + "b").number == 2)
      assert(table.rows() == Map(1 -> "ab"))
    }
  }

  // F23, F28
  test("a snapshot leaves out what got its number while the timeline was listed") {
    use { table =>
      table.merge(1)(_ => "a")
      table.merge(2)(_ => "b")
      def more() = for (group <- 1 to 2) table.merge(group)(_ + "+"): Unit
      val racing = new ListedTwice {
        private val before = new AtomicInteger
        override def list(dir: Path, detailed: String => Boolean) = {
          val turn = before.incrementAndGet()
          if (turn == 2) assert(dir.getName == "commits") // after the first listing of the timeline
          if (turn == 3) assert(dir.getName == ".hoodie") // it lacked the highest number's commit
          if (turn == 2 || turn == 3) more()
          super.list(dir, detailed)
        }
      }
      val snapshot = new TestTable(table.base, racing).snapshot
      assert(snapshot.number == 4 && snapshot.base.instants.size == 4)
      assert(snapshot.slices("p=a").map(s => TempFolder.text(s.path)) == Seq("a+", "b+"))
      assert(table.rows() == Map(1 -> "a++", 2 -> "b++"))
    }
  }

  test("a snapshot is that of the first listing if no commit got its number before the second") {
    use { table =>
      table.merge(1)(_ => "a")
      val calls = new AtomicInteger
      val counted = new ListedTwice {
        override def list(dir: Path, detailed: String => Boolean) = {
          calls.incrementAndGet()
          super.list(dir, detailed)
        }
      }
      assert(new TestTable(table.base, counted).snapshot.number == 1)
      assert(calls.get == 2, "the metadata folder, then the numbers")
    }
  }
}
