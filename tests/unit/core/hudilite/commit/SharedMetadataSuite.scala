package hudilite.commit

import java.io.IOException
import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.KeptFiles.{blocks, created, listing, names, put, there}
import hudilite.error.HudiliteException
import hudilite.format.TableVersion
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.service.{Cleaner, Restore, Retention, VersionChange}
import hudilite.timeline.{Instant, ListedTwice, Timeline}
import hudilite.verify.TableCheck
import hudilite.view.TestTable

/** Tables that keep the list of files in Hudi's metadata table while stock Hudi writes them, under its
  * lock. */
class SharedMetadataSuite extends AnyFunSuite {
  private val stocks = "20200101000000000"

  private def use(test: SharedTable => Any): Unit = KeptFiles.use { table =>
    KeptFiles.dropOthers(table.base)
    test(new SharedTable(table.base)): Unit
  }

  private def assertListed(table: TestTable): Unit = {
    assert(MetadataFolders.named(table.base) == "files")
    assert(listing(table.base) == there(table.base))
  }

  private def assertKept(table: TestTable): Unit = {
    assertListed(table)
    assert(TableCheck.run(table.files, files = true).findings.isEmpty)
  }

  /** Checks that a statement is refused and changes neither the table nor its metadata table.
    * @return what is wrong, and what to do */
  private def refused(test: SharedTable)(statement: => Any): (String, String) = {
    def state = (
      MetadataFolders.named(test.table.base),
      names(test.table.base),
      names(test.table.base, "files"),
      names(test.table.base, ".hoodie/timeline"),
      Timeline.named(test.table.files).completed
    )
    val before = state
    val e = intercept[HudiliteException](statement)
    assert(e.condition == "HUDILITE_UNSUPPORTED_TABLE" && e.parameters("fact") == "metadata table")
    assert(state == before)
    assert(!test.isLocked)
    (e.parameters("value"), e.parameters("fix"))
  }

  test("from the look at the metadata table to the commit, each file is written under the lock") {
    use { shared =>
      val made = new AtomicReference(Vector.empty[(String, Boolean)])
      val noting = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          made.updateAndGet(_ :+ (path.toString.split("/t/").last -> shared.isLocked))
          super.createNew(path, bytes)
        }
      }
      val t = shared.opened(noting).merge(1)(_ => "a").instant
      val commit = made.get.dropWhile(!_._1.startsWith(".hoodie/.hudilite/commits/"))
        .filterNot(_._1.contains(".hudilite-recent"))
      val c = Timeline.named(shared.table.files).lastCompletion.get
      assert(commit.slice(1, 6) == created(t, c).map(_ -> true))
      assertKept(shared.table)
      shared.table.merge(1, 2)(_ + "b")
      assertKept(shared.table)
      assert(blocks(shared.table.base).size == 2 && !shared.isLocked)
    }
  }

  test("a table without a metadata table is written, and the next one is not removed") {
    use { shared =>
      MetadataFolders.set(shared.table.base, "hoodie.table.metadata.partitions" -> "")
      LocalStorage.deleteTree(Storage.resolve(shared.table.base, ".hoodie/metadata"))
      val building = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          val made = super.createNew(path, bytes)
          if (path.getName.endsWith(".commit")) KeptFiles.plant(shared.table.base)
          made
        }
      }
      shared.opened(building).merge(1)(_ => "a")
      assert(MetadataFolders.named(shared.table.base) == MetadataFolders.partitions)
      assert(shared.table.rows() == Map(1 -> "a"))
    }
  }

  for ((kind, damage, words) <- KeptFiles.damages)
    test(s"a write beside a metadata table with a $kind is refused") {
      use { shared =>
        shared.table.merge(1)(_ => "a")
        damage(shared.table)
        val started = shared.table.start(shared.table.snapshot, Seq(1))(_ + "b")
        val (value, fix) = refused(shared)(started.commit())
        // Without the list of files, the other partitions are named.
        assert(value.contains(words) || kind == "list that is not built", value)
        assert(fix.contains("UNSET TBLPROPERTIES ('hudilite.stock.lock')"))
        assert(started.transaction.abort() && shared.table.rows() == Map(1 -> "a"))
      }
    }

  test("other partitions of the metadata table are refused and stay") {
    use { shared =>
      val base = shared.table.base
      def told =
        refused(shared)(shared.table.start(shared.table.snapshot, Seq(1))(_ => "a").commit())
      put(base, "secondary_index_v/x", Array.emptyByteArray)
      assert(told._1 == "files: it has other partitions, secondary_index_v")
      LocalStorage.deleteTree(Storage.resolve(base, ".hoodie/metadata/secondary_index_v"))
      MetadataFolders.set(base, "hoodie.table.metadata.partitions" -> MetadataFolders.partitions)
      assert(told._1 == "files: it has other partitions, column_stats, partition_stats")
      assert(told._2.contains("hoodie.metadata.index.column.stats.enable = false"))
      MetadataFolders.set(
        base,
        "hoodie.table.metadata.partitions" -> "files",
        "hoodie.table.metadata.partitions.inflight" -> "record_index"
      )
      assert(told._1 == "files: its partition record_index is being built")
    }
  }

  test("a table gets the lock if it has no metadata table, or one that it keeps") {
    use { shared =>
      val base = shared.table.base
      def whyNot = SharedMetadata.whyNot(shared.table.files.config())
      assert(whyNot.isEmpty)
      MetadataFolders.set(base, "hoodie.table.metadata.partitions" -> MetadataFolders.partitions)
      assert(whyNot.exists(_.contains("hudilite keeps only the partition files")))
      MetadataFolders.set(base, "hudilite.metadata" -> "detach")
      assert(whyNot.exists(_.contains("must have none")))
      MetadataFolders.set(base, "hoodie.table.metadata.partitions" -> "")
      assert(whyNot.isEmpty)
    }
  }

  test("after 49 blocks a write is refused until stock Hudi has compacted them") {
    use { shared =>
      val base = shared.table.base
      (1 to 49).foreach(n => shared.table.merge(n % 4)(_ + "a"))
      val (value, fix) = refused(shared)(
        shared.table.start(shared.table.snapshot, Seq(1))(_ + "b").commit()
      )
      assert(value.contains("49 blocks") && fix.startsWith("Let stock Hudi write once"))
      val bytes = LocalStorage.read(
        Storage.resolve(base,
          ".hoodie/metadata/files/files-0000-0_0-271-749_00000000000000000.hfile")
      )
      val last = blocks(base).last.drop(".files-0000-0_".length).take(17)
      put(base, s"files/files-0000-0_0-1-1_$last.hfile", bytes)
      shared.table.merge(1)(_ + "b")
      assert(blocks(base).size == 50 && MetadataFolders.named(base) == "files")
    }
  }

  test("a write of stock Hudi may have begun in the metadata table, its services may not") {
    use { shared =>
      val base = shared.table.base
      put(base, s".hoodie/timeline/$stocks.deltacommit.requested", Array.emptyByteArray)
      val first = shared.table.start(shared.table.snapshot, Seq(1))(_ => "a")
      val (value, fix) = refused(shared)(first.commit())
      assert(value == s"files: its deltacommit $stocks is pending")
      assert(fix.startsWith("Let stock Hudi write and clean once") && first.transaction.abort())
      shared.starts(stocks)
      shared.plant(s"timeline/$stocks.inflight", "{}")
      shared.table.merge(1)(_ => "a")
      assertListed(shared.table)
      put(base, s".hoodie/timeline/$stocks.rollback.requested", Array.emptyByteArray)
      LocalStorage.delete(
        Storage.resolve(base, s".hoodie/metadata/.hoodie/timeline/$stocks.deltacommit.requested")
      )
      val other = shared.table.start(shared.table.snapshot, Seq(1))(_ + "b")
      assert(refused(shared)(other.commit())._1 == s"files: its rollback $stocks is pending")
    }
  }

  test("a write that has begun in the metadata table is rolled back by stock Hudi alone") {
    use { shared =>
      shared.starts(stocks)
      put(shared.table.base, s".hoodie/timeline/$stocks.deltacommit.requested",
        Array.emptyByteArray)
      shared.late.set(130000L)
      val rollback = shared.table.log.rollback
      assert(rollback.rollBack(stocks) == Left(Rollback.IsListed))
      assert(rollback.rollBackOlderThan(0).isEmpty)
      LocalStorage.delete(Storage.resolve(
        shared.table.base,
        s".hoodie/metadata/.hoodie/timeline/$stocks.deltacommit.requested"
      ))
      assert(rollback.rollBackOlderThan(0).map(_.instant) == Seq(stocks))
      shared.table.merge(1)(_ => "a")
      assertKept(shared.table)
    }
  }

  test(
    "the commit of a dead writer is published under the lock, also if the file with the schema is gone"
  ) {
    for (isWritten <- Seq(true, false)) use { shared =>
      val base = shared.table.base
      shared.table.merge(1)(_ => "a")
      val t = shared.table.merge(1)(_ + "b").instant
      val (first, second) = (blocks(base).head, blocks(base).last)
      val content =
        LocalStorage.read(Storage.resolve(base, s".hoodie/metadata/files/$second")).toSeq
      Version9Suite.unpublish(shared.table, t)
      LocalStorage.delete(Storage.resolve(base, s".hoodie/metadata/files/$first"))
      if (!isWritten) LocalStorage.delete(Storage.resolve(base, s".hoodie/metadata/files/$second"))
      shared.opened(LocalStorage).log.stock.locked(shared.opened(LocalStorage).log.settle())
      assert(
        LocalStorage.read(Storage.resolve(base, s".hoodie/metadata/files/$second")).toSeq == content
      )
      assert(MetadataFolders.named(base) == "files")
      assert(Timeline.named(shared.table.files).completedTimes(t))
    }
  }

  test("a commit whose block cannot be written is not published, and the metadata table stays") {
    use { shared =>
      val base = shared.table.base
      val t = shared.table.merge(1)(_ => "a").instant
      Version9Suite.unpublish(shared.table, t)
      val file = s"files/${blocks(base).head}"
      val content = LocalStorage.read(Storage.resolve(base, s".hoodie/metadata/$file"))
      put(base, file, TempFolder.bytes("another"))
      val other = shared.table.start(shared.table.snapshot, Seq(2))(_ => "b")
      assert(refused(shared)(other.commit())._1.contains("not the block of its instant"))
      assert(other.transaction.abort())
      put(base, file, content)
      shared.table.merge(2)(_ => "b")
      assertKept(shared.table)
      assert(shared.table.rows() == Map(1 -> "a", 2 -> "b"))
    }
  }

  test("a write that has taken its number and cannot write its block may be committed") {
    use { shared =>
      val base = shared.table.base
      val damaging = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          if (path.getName.contains(".log.")) put(base, s"files/${path.getName}", Array(1.toByte))
          super.createNew(path, bytes)
        }
      }
      val by = shared.opened(damaging)
      val started = by.start(by.snapshot, Seq(1))(_ => "a")
      val e = intercept[HudiliteException](started.commit())
      assert(e.condition == "HUDILITE_COMMIT_STATE_UNKNOWN")
      assert(HudiliteException.find(e.getCause).exists(_.condition == "HUDILITE_UNSUPPORTED_TABLE"))
      assert(!started.transaction.abort() && shared.table.rows() == Map(1 -> "a"))
      LocalStorage.delete(Storage.resolve(base, s".hoodie/metadata/files/${blocks(base).head}"))
      shared.table.merge(2)(_ => "b")
      assertListed(shared.table)
      assert(shared.table.rows() == Map(1 -> "a", 2 -> "b"))
    }
  }

  test(
    "a write that stock Hudi is rolling back is waited for as long as it is in the metadata table"
  ) {
    use { shared =>
      val base = shared.table.base
      shared.table.merge(1)(_ => "a")
      val t = shared.table.merge(1)(_ + "b").instant
      Version9Suite.unpublish(shared.table, t)
      Seq(".inflight", ".commit.requested").foreach(end =>
        LocalStorage.delete(Storage.resolve(base, s".hoodie/timeline/$t$end"))
      )
      val other = shared.table.start(shared.table.snapshot, Seq(2))(_ => "c")
      val (value, fix) = refused(shared)(other.commit())
      assert(value == s"files: it contains the write $t, whose rollback is not finished")
      assert(fix.startsWith("Let stock Hudi clean once") && other.transaction.abort())
      (names(base, ".hoodie/timeline").map(".hoodie/timeline/" + _) ++
        names(base, "files").map("files/" + _)).filter(_.contains(t))
        .foreach(name => LocalStorage.delete(Storage.resolve(base, s".hoodie/metadata/$name")))
      there(base)("p=a").keys.filter(_.contains(t))
        .foreach(name => LocalStorage.delete(Storage.resolve(base, s"p=a/$name")))
      shared.table.merge(2)(_ => "c")
      assertKept(shared.table)
      assert(shared.table.rows() == Map(1 -> "a", 2 -> "c"))
    }
  }

  test(
    "a clean takes its files out of the list under the lock, also if the list has changed meanwhile"
  ) {
    use { shared =>
      val base = shared.table.base
      Seq("a", "b").foreach(text => shared.table.merge(1)(_ + text))
      val made = new AtomicReference(Vector.empty[(String, Boolean)])
      val noting = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          made.updateAndGet(_ :+ (path.getName -> shared.isLocked))
          super.createNew(path, bytes)
        }
        override def delete(path: Path): Boolean = {
          // Stock Hudi compacts the list while the clean deletes files, and removes old blocks.
          if (path.getName.endsWith(".parquet") && blocks(base).size == 2) {
            LocalStorage.delete(
              Storage.resolve(base, s".hoodie/metadata/files/${blocks(base).head}")
            )
            shared.opened(LocalStorage).merge(2)(_ => "c")
          }
          super.delete(path)
        }
      }
      val by = shared.opened(noting)
      new Cleaner(by.files, by.config, by.log, () => System.currentTimeMillis).run(Retention(1, 0))
      val log = made.get.filter { case (name, _) =>
        name.contains(".log.") || name.endsWith(".clean")
      }
      assert(log.size == 2 && log.forall(_._2), made.get)
      assert(names(base, "files").count(_.contains(".log.")) == 3)
      assert(listing(base)("p=a").size == there(base)("p=a").size)
    }
  }

  test("a clean that may still be running is left alone for an hour") {
    use { shared =>
      val table = shared.table
      def cleaner(by: TestTable) =
        new Cleaner(by.files, by.config, by.log, () => System.currentTimeMillis + shared.late.get)
      Seq("a", "b").foreach(text => table.merge(1)(_ + text))
      val dying = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean =
          if (path.getName.contains(".log.")) throw new IOException("dead")
          else super.createNew(path, bytes)
      }
      intercept[IOException](cleaner(shared.opened(dying)).run(Retention(1, 0)))
      def pending = Timeline.named(table.files).instants
        .filter(i => i.action == "clean").groupBy(_.time).values
        .count(_.forall(_.state != Instant.Completed))
      cleaner(table).run(Retention(1, 0))
      assert(pending == 1)
      shared.late.set(3700000L)
      cleaner(table).run(Retention(1, 0))
      assert(pending == 0)
      assertKept(table)
    }
  }

  test("a restore and a change of the version are refused while there is a metadata table") {
    use { shared =>
      val t = shared.table.merge(1)(_ => "a").instant
      shared.table.merge(1)(_ + "b")
      val restore = new Restore(shared.table.files, shared.table.config, shared.table.log, () => 0L)
      val change = new VersionChange(shared.table.files, shared.table.log, shared.table.zone)
      for (
        fix <- Seq(refused(shared)(restore.run(t)), refused(shared)(change.run(TableVersion.Eight)))
      )
        assert(fix._2.contains("UNSET TBLPROPERTIES ('hudilite.stock.lock'), run this again"))
      assert(shared.table.rows() == Map(1 -> "ab"))
    }
  }
}
