package hudilite.commit

import java.io.IOException
import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.KeptFiles.{blocks, created, listing, names, put, there, use}
import hudilite.format.{FileId, TableVersion}
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.service.{Cleaner, Restore, Retention, VersionChange}
import hudilite.tests.FaultDoor
import hudilite.timeline.{ListedTwice, Timeline}
import hudilite.verify.TableCheck
import hudilite.view.TestTable
import hudilite.view.TestTable.useVersion9

/** Tables that keep the list of files in Hudi's metadata table. */
class KeepFilesSuite extends AnyFunSuite {
  private def opened(base: Path, storage: Storage = LocalStorage): TestTable =
    new TestTable(base, storage, isWatched = true)

  private def assertKept(table: TestTable): Unit = {
    assert(MetadataFolders.named(table.base) == "files")
    assert(names(table.base) == Set(".hoodie", "files"))
    assert(listing(table.base) == there(table.base))
    assert(TableCheck.run(table.files, files = true).findings.isEmpty)
  }

  private def assertDetached(table: TestTable): Unit =
    assert(MetadataFolders.named(table.base).isEmpty && !MetadataFolders.exists(table.base))

  private def detached(table: TestTable, said: AtomicReference[Seq[Option[String]]]) =
    DetachMetadata.of(table.files, "t", table.files.config(), r => said.updateAndGet(_ :+ r): Unit)

  /** Returns why the metadata table was removed, as users are told. */
  private def reason(table: TestTable): Seq[Option[String]] = {
    val said = new AtomicReference(Seq.empty[Option[String]])
    detached(table, said).beforeKept(Timeline.named(table.files))
    said.get
  }

  test("each commit adds its files to the list, and the other partitions go") {
    use { table =>
      table.merge(1)(_ => "a")
      assertKept(table)
      table.merge(1, 2)(_ + "b")
      assertKept(table)
      assert(blocks(table.base).size == 2 && there(table.base)("p=a").size == 3)
      assert(table.rows() == Map(1 -> "ab", 2 -> "b"))
      assert(detached(table, new AtomicReference(Nil)).status() ==
        DetachMetadata.Status(Seq("files"), Nil, exists = true, isKept = true, blocks = 2))
    }
  }

  test("the properties come first, then the number, the block, its deltacommit, and the commit") {
    use { table =>
      val calls = new AtomicReference(Vector.empty[String])
      def note(path: Path): Unit =
        calls.updateAndGet(_ :+ path.toString.split("/t/").last): Unit
      val noting = new ListedTwice {
        override def replace(path: Path, bytes: Array[Byte]): Unit = {
          note(path)
          super.replace(path, bytes)
        }
        override def deleteTree(dir: Path): Boolean = {
          note(dir)
          super.deleteTree(dir)
        }
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          note(path)
          super.createNew(path, bytes)
        }
      }
      val t = opened(table.base, noting).merge(1)(_ => "a").instant
      val c = Timeline.named(table.files).lastCompletion.get
      val made = calls.get.dropWhile(_ != ".hoodie/hoodie.properties")
        .filterNot(path => path.contains("/.temp/") || path.contains(".hudilite-recent"))
      assert(made.slice(1, 4).head == ".hoodie/metadata/secondary_index_v")
      assert(made.slice(1, 4).toSet == Set("secondary_index_v", "column_stats", "partition_stats")
        .map(folder => s".hoodie/metadata/$folder"))
      assert(made(4).startsWith(".hoodie/.hudilite/commits/"))
      assert(made.slice(5, 10) == created(t, c))
    }
  }

  test("whoever publishes the commit of a dead writer writes the same bytes") {
    use { table =>
      table.merge(1)(_ => "a")
      val t = table.merge(2)(_ => "b").instant
      def written = (names(table.base, "files").map("files/" + _) ++
        names(table.base, ".hoodie/timeline").map(".hoodie/timeline/" + _)).filter(_.contains(t))
        .map { file =>
          file -> LocalStorage.read(Storage.resolve(table.base, s".hoodie/metadata/$file")).toSeq
        }
      val before = written
      assert(before.size == 4)
      for (lost <- before.map(_._1).subsets().toSeq) {
        Version9Suite.unpublish(table, t)
        lost.foreach(file =>
          LocalStorage.delete(Storage.resolve(table.base, s".hoodie/metadata/$file"))
        )
        opened(table.base).log.settle()
        assert(written == before, lost)
        assertKept(table)
      }
    }
  }

  test("49 commits are kept, and the next one removes the metadata table and says why") {
    use { table =>
      (1 to 49).foreach(n => table.merge(n % 4)(_ + "a"))
      assertKept(table)
      assert(blocks(table.base).size == 49)
      assert(reason(table) == Seq(
        Some("it has 49 blocks of hudilite since stock Hudi last compacted it")
      ))
      assertDetached(table)
      table.merge(1)(_ => "b")
      assertDetached(table)
    }
  }

  test("blocks before the latest compaction do not count") {
    use { table =>
      (1 to 3).foreach(_ => table.merge(1)(_ + "a"))
      val base = names(table.base, "files").find(_.endsWith(".hfile")).get
      val content = LocalStorage.read(Storage.resolve(table.base, s".hoodie/metadata/files/$base"))
      val compacted = blocks(table.base)(1).drop(".files-0000-0_".length).take(17)
      put(table.base, s"files/files-0000-0_0-1-1_$compacted.hfile", content)
      assert(detached(table, new AtomicReference(Nil)).status().blocks == 1)
    }
  }

  for ((kind, damage, words) <- KeptFiles.damages)
    test(s"a metadata table with a $kind is removed") {
      use { table =>
        table.merge(1)(_ => "a")
        damage(table)
        val told = reason(table)
        assert(told.size == 1 && told.head.exists(_.contains(words)), told)
        assertDetached(table)
        table.merge(1)(_ + "b")
        assert(table.rows() == Map(1 -> "ab"))
        assertDetached(table)
      }
    }

  test("a block that cannot be written when the commit is published removes the metadata table") {
    use { table =>
      val t = table.merge(1)(_ => "a").instant
      Version9Suite.unpublish(table, t)
      put(table.base, s"files/${blocks(table.base).head}", TempFolder.bytes("another"))
      opened(table.base).log.settle()
      assertDetached(table)
      assert(table.rows() == Map(1 -> "a") && Timeline.named(table.files).completedTimes(t))
    }
  }

  test("if the metadata table can be neither kept nor removed, nothing of the write is visible") {
    use { table =>
      table.merge(1)(_ => "a")
      put(table.base, s"files/${blocks(table.base).last}", TempFolder.bytes("damaged"))
      val denied = new ListedTwice {
        override def replace(path: Path, bytes: Array[Byte]): Unit =
          throw new IOException("no permission")
      }
      val started = opened(table.base, denied).start(table.snapshot, Seq(1))(_ + "b")
      intercept[IOException](started.commit())
      assert(table.rows() == Map(1 -> "a") && table.snapshot.number == 1)
      assert(MetadataFolders.named(table.base) == "files")
    }
  }

  test("a clean takes its files out of the list, also if it is finished later") {
    use { table =>
      def cleaner(storage: Storage = LocalStorage) = {
        val by = opened(table.base, storage)
        new Cleaner(by.files, table.config, by.log, () => System.currentTimeMillis)
      }
      Seq("a", "b", "c").foreach(text => table.merge(1)(_ + text))
      assert(cleaner().run(Retention(1, 0)).deleted.size == 2)
      assertKept(table)
      assert(there(table.base)("p=a").size == 1 && blocks(table.base).size == 4)
      table.merge(1)(_ + "d")
      val dying = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean =
          if (path.getName.contains(".log.")) throw new IOException("dead")
          else super.createNew(path, bytes)
      }
      intercept[IOException](cleaner(dying).run(Retention(1, 0)))
      cleaner().run(Retention(1, 0))
      assertKept(table)
      assert(there(table.base)("p=a").size == 1)
      table.merge(1)(_ + "e")
      assertKept(table)
    }
  }

  test("a write goes on while a clean is pending") {
    use { table =>
      Seq("a", "b").foreach(text => table.merge(1)(_ + text))
      val dying = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean =
          if (path.getName.contains(".log.")) throw new IOException("dead")
          else super.createNew(path, bytes)
      }
      val by = opened(table.base, dying)
      intercept[IOException](
        new Cleaner(by.files, table.config, by.log, () => System.currentTimeMillis)
          .run(Retention(1, 0))
      )
      table.merge(1)(_ + "c")
      assert(MetadataFolders.named(table.base) == "files")
      assert(table.rows() == Map(1 -> "abc"))
    }
  }

  test("a rollback leaves the list as it is, unless the write is in it") {
    use { table =>
      table.merge(1)(_ => "a")
      val started = table.start(table.snapshot, Seq(1))(_ + "b")
      assert(table.log.rollback.rollBack(started.transaction.instant).isRight)
      assertKept(table)
      val other = table.start(table.snapshot, Seq(1))(_ + "b").transaction.instant
      put(table.base, s".hoodie/timeline/$other.deltacommit.requested", Array.emptyByteArray)
      assert(table.log.rollback.rollBack(other).isRight)
      assertDetached(table)
      assert(table.rows() == Map(1 -> "a"))
    }
  }

  test("a commit that stock Hudi rolled back before it was published is not in the list") {
    use { table =>
      table.merge(1)(_ => "a")
      val t = table.merge(1)(_ + "b").instant
      Version9Suite.unpublish(table, t)
      Seq(".inflight", ".commit.requested").foreach(end =>
        LocalStorage.delete(Storage.resolve(table.base, s".hoodie/timeline/$t$end"))
      )
      opened(table.base).log.settle()
      assertDetached(table)
      assert(table.rows() == Map(1 -> "a"))
    }
  }

  test("a restore and a change of the version remove the metadata table") {
    use { table =>
      val t = table.merge(1)(_ => "a").instant
      table.merge(1)(_ + "b")
      new Restore(table.files, table.config, table.log, () => System.currentTimeMillis).run(t)
      assertDetached(table)
    }
    use { table =>
      table.merge(1)(_ => "a")
      new VersionChange(table.files, table.log, table.zone).run(TableVersion.Six)
      assertDetached(table)
      val config = table.files.config()
      assert(!config.keepsFiles && !config.properties.contains(KeptFiles.keep._1))
    }
  }

  test("without the property a metadata table of this partition alone is removed") {
    use { table =>
      table.merge(1)(_ => "a")
      MetadataFolders.set(table.base, KeptFiles.keep._1 -> "detach")
      table.merge(1)(_ + "b")
      assertDetached(table)
    }
  }

  test("a metadata table that stock Hudi built while a write was published is removed") {
    use { table =>
      val building = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          val made = super.createNew(path, bytes)
          if (path.getName.endsWith(".commit")) KeptFiles.plant(table.base)
          made
        }
      }
      opened(table.base, building).merge(1)(_ => "a")
      assertDetached(table)
    }
  }

  test("of two writers at once both are in the list") {
    use { table =>
      table.merge(1)(_ => "a")
      val second = opened(table.base).start(table.snapshot, Seq(2))(_ => "c")
      val racing = new ListedTwice {
        private val once = new AtomicReference(Option(second))
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          if (path.toString.contains("/commits/")) once.getAndSet(None).foreach(_.commit())
          super.createNew(path, bytes)
        }
      }
      opened(table.base, racing).merge(3)(_ => "d")
      assertKept(table)
      assert(table.rows() == Map(1 -> "a", 2 -> "c", 3 -> "d"))
      assert(blocks(table.base).size == 3)
    }
  }

  test("a commit makes eight requests more than one beside which there is no metadata table") {
    def callsOf(table: TestTable): Seq[String] = {
      table.merge(1)(_ => "a")
      val counted = opened(table.base, new FaultDoor().over(LocalStorage))
      FaultDoor.arm(table.base.getParent.getName, "")
      counted.merge(1)(_ + "b")
      FaultDoor.disarm().linesIterator.filter(_.nonEmpty).toSeq
    }
    val plain = useVersion9(callsOf)
    val kept = use(callsOf)
    assert(plain.count(_.contains("/.hoodie/metadata")) == 1)
    assert(kept.count(_.contains("/.hoodie/metadata")) == 8)
    assert(kept.size - plain.size == 8, s"${plain.size} and ${kept.size}")
  }

  test("verify tells the files that the list lacks, and those that it has too many") {
    use { table =>
      val t = table.merge(1)(_ => "a").instant
      LocalStorage.delete(
        Storage.resolve(table.base, s".hoodie/metadata/files/${blocks(table.base).head}")
      )
      val id = FileId.bucket(table.config.uuid, "p=a", 1, "")
      def found = TableCheck.run(table.files, files = true).findings.map(f => f.code -> f.path)
      assert(found.map(_._1) == Seq("METADATA_TABLE_DIFFERS") && found.head._2.contains(id), t)
      put(table.base, "files/.files-0000-0_20200101000000000.log.1_0-1-0", TempFolder.bytes("x"))
      put(table.base, ".hoodie/timeline/20200101000000000_20200101000000001.deltacommit",
        TempFolder.bytes("x"))
      assert(found.map(_._1) == Seq("METADATA_TABLE_DAMAGED"))
    }
  }
}
