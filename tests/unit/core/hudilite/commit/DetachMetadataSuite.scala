package hudilite.commit

import java.io.IOException
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.MetadataFolders.{exists, named, plant, set}
import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{ListedTwice, TimelineFiles}
import hudilite.view.TestTable
import hudilite.view.TestTable.{use, useVersion9}

/** Hudi's metadata table beside a table that is written. */
class DetachMetadataSuite extends AnyFunSuite {
  private def at(table: TestTable, path: String): Path = Storage.resolve(table.base, path)

  private def condition(body: => Any): String = intercept[HudiliteException](body).condition

  private def detachOf(table: TestTable, said: AtomicInteger = new AtomicInteger): DetachMetadata =
    DetachMetadata.of(table.files, "t", table.files.config(), _ => said.incrementAndGet(): Unit)

  test("a write detaches the metadata table and leaves the definitions of its indexes") {
    useVersion9 { table =>
      plant(table.base, inflight = "record_index")
      table.merge(1)(_ => "a")
      assert(named(table.base).isEmpty && !exists(table.base))
      val config = table.files.config()
      assert(!config.hasMetadataTable)
      assert(TempFolder.text(at(table, ".hoodie/.index_defs/index.json")) == "{}")
      assert(table.rows() == Map(1 -> "a"))
    }
  }

  test("the properties are emptied first, indexes found by name are deleted before the rest") {
    useVersion9 { table =>
      plant(table.base)
      val calls = new AtomicReference(Vector.empty[String])
      def note(call: String, path: Path): Unit =
        calls.updateAndGet(_ :+ s"$call ${path.toString.split("/t/").last}"): Unit
      val noting = new ListedTwice {
        override def replace(path: Path, bytes: Array[Byte]): Unit = {
          note("replace", path)
          super.replace(path, bytes)
        }
        override def deleteTree(dir: Path): Boolean = {
          note("delete", dir)
          super.deleteTree(dir)
        }
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          if (path.toString.contains("/commits/")) note("number", path)
          super.createNew(path, bytes)
        }
      }
      new TestTable(table.base, noting, isWatched = true).merge(1)(_ => "a")
      val made = calls.get.filterNot(_.contains("/.temp/"))
      assert(made.head == "replace .hoodie/hoodie.properties")
      assert(made.slice(1, 3).toSet == Set("delete .hoodie/metadata/secondary_index_v",
        "delete .hoodie/metadata/expr_index_v"))
      assert(made(3) == "delete .hoodie/metadata")
      assert(made(4).startsWith("number .hoodie/.hudilite/commits/"))
    }
  }

  test("what a crash between the properties and the folder left is deleted by the next write") {
    useVersion9 { table =>
      plant(table.base, names = "")
      table.merge(1)(_ => "a")
      assert(!exists(table.base))
    }
  }

  test("a folder that the properties do not name yet stays while another write is pending") {
    useVersion9 { table =>
      plant(table.base, names = "")
      TempFolder.write(at(table, ".hoodie/timeline/20200101000000000.commit.requested"), "")
      table.merge(1)(_ => "a")
      assert(exists(table.base), "stock Hudi may be building it")
      assert(table.rows() == Map(1 -> "a"))
    }
  }

  test("a metadata table that was built while a write was published is detached again") {
    useVersion9 { table =>
      val building = new ListedTwice {
        override def createNew(path: Path, bytes: Array[Byte]): Boolean = {
          val made = super.createNew(path, bytes)
          if (path.getName.endsWith(".commit")) plant(table.base)
          made
        }
      }
      new TestTable(table.base, building, isWatched = true).merge(1)(_ => "a")
      assert(named(table.base).isEmpty && !exists(table.base))
    }
  }

  test("whoever publishes the commit of a dead writer detaches what was built meanwhile") {
    useVersion9 { table =>
      val t = table.merge(1)(_ => "a").instant
      Version9Suite.unpublish(table, t)
      plant(table.base)
      val reader = new TestTable(table.base, isWatched = true)
      reader.log.settle()
      assert(table.rows() == Map(1 -> "a") && named(table.base).isEmpty && !exists(table.base))
    }
  }

  test("if the properties cannot be written, nothing of the write is visible") {
    useVersion9 { table =>
      table.merge(1)(_ => "a")
      plant(table.base)
      val denied = new ListedTwice {
        override def replace(path: Path, bytes: Array[Byte]): Unit =
          throw new IOException("no permission")
      }
      val started = new TestTable(table.base, denied, isWatched = true)
        .start(table.snapshot, Seq(1))(_ + "b")
      intercept[IOException](started.commit())
      assert(table.rows() == Map(1 -> "a") && table.snapshot.number == 1)
      assert(named(table.base) == MetadataFolders.partitions && exists(table.base))
      assert(started.transaction.abort() && table.rows() == Map(1 -> "a"))
    }
  }

  test("while stock Hudi builds an index, no write becomes visible") {
    useVersion9 { table =>
      plant(table.base, inflight = "record_index")
      TempFolder.write(at(table, ".hoodie/timeline/20200101000000000.indexing.requested"), "")
      val started = table.start(table.snapshot, Seq(1))(_ => "a")
      val e = intercept[HudiliteException](started.commit())
      assert(e.condition == "HUDILITE_UNSUPPORTED_TABLE")
      assert(
        e.parameters("fact") == "pending indexing" && e.parameters("fix").contains("DROP INDEX")
      )
      assert(condition(table.snapshot.checkNothingPlanned()) == "HUDILITE_UNSUPPORTED_TABLE")
      assert(exists(table.base) && table.rows().isEmpty)
      TempFolder.write(
        at(table, ".hoodie/timeline/20200101000000000_20200101000000001.indexing"),
        "x"
      )
      assert(started.commit().number == 1)
      assert(!exists(table.base))
    }
  }

  test("properties that stock Hudi was interrupted in replacing are put back first") {
    useVersion9 { table =>
      plant(table.base)
      val detach = detachOf(table)
      val file = at(table, ".hoodie/hoodie.properties")
      TempFolder.write(at(table, ".hoodie/hoodie.properties.backup"), TempFolder.text(file))
      LocalStorage.delete(file)
      detach.before(hudilite.timeline.Timeline.named(table.files))
      assert(named(table.base).isEmpty && !exists(table.base))
      assert(LocalStorage.status(at(table, ".hoodie/hoodie.properties.backup")).isEmpty)
    }
  }

  test("the user is told once for each metadata table that was detached") {
    useVersion9 { table =>
      val said = new AtomicInteger
      val detach = detachOf(table, said)
      def before(): Unit = detach.before(hudilite.timeline.Timeline.named(table.files))
      before()
      assert(said.get == 0)
      plant(table.base)
      before()
      before()
      assert(said.get == 1)
    }
  }

  test("a table of version 6 without a metadata table is not looked at") {
    use { table =>
      table.config
      val reads = new AtomicInteger
      val counting = new ListedTwice {
        override def read(path: Path): Array[Byte] = {
          if (path.getName == "hoodie.properties") reads.incrementAndGet()
          super.read(path)
        }
      }
      val files = new TimelineFiles(counting, table.base, table.files.layout)
      val detach = DetachMetadata.of(files, "t", table.config, _ => ())
      detach.before(fail("the timeline is listed"))
      detach.after()
      assert(reads.get == 0)
    }
  }

  test("a table of version 6 with a metadata table is detached") {
    use { table =>
      table.config
      plant(table.base)
      val detach = detachOf(table)
      detach.before(hudilite.timeline.Timeline.named(table.files))
      assert(named(table.base).isEmpty && !exists(table.base))
      plant(table.base)
      detach.after()
      assert(named(table.base).isEmpty && !exists(table.base))
    }
  }

  test("a metadata table that came with a commit of another program since the snapshot is found") {
    use { table =>
      table.merge(1)(_ => "a")
      val started = table.start(table.snapshot, Seq(1))(_ + "b")
      TempFolder.write(
        at(table, ".hoodie/29990101000000000.commit"),
        TestTable.metadata(Nil).toJson
      )
      plant(table.base)
      assert(started.commit().number == 3)
      assert(named(table.base).isEmpty && !exists(table.base))
    }
  }

  test("a write into a table that stock Hudi has upgraded meanwhile fails before it is visible") {
    use { table =>
      table.merge(1)(_ => "a")
      val started = table.start(table.snapshot, Seq(1))(_ + "b")
      val moved = table.files.instants().filter(_.time != started.transaction.instant)
      moved.foreach(i => LocalStorage.delete(table.files.path(i)))
      set(table.base, "hoodie.table.version" -> "9", "hoodie.timeline.layout.version" -> "2")
      assert(condition(started.commit()) == "HUDILITE_CONCURRENT_WRITE")
      assert(TempFolder.names(at(table, ".hoodie")).forall(!_.endsWith(".commit")))
    }
  }
}
