package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.io.{FileEntry, LocalStorage, Storage, TempFolder}
import hudilite.view.TestTable
import hudilite.view.TestTable.use

/** Properties of a table in a store with tags. */
class KnownPropertiesSuite extends AnyFunSuite {

  /** Local files with their content as tag. */
  private class Tagged extends ListedTwice {
    val reads, lists = new AtomicInteger

    override def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] = {
      lists.incrementAndGet()
      super.list(dir, detailed).map { entry =>
        if (entry.name == "hoodie.properties") entry.copy(etag = tag(entry.path)) else entry
      }
    }
    override def readTagged(path: Path): (Array[Byte], Option[String]) = {
      reads.incrementAndGet()
      (LocalStorage.read(path), tag(path))
    }
    private def tag(path: Path) = Some(new String(LocalStorage.read(path), UTF_8))
  }

  test("properties are read once, and again after a change") {
    use { table =>
      table.merge(1)(_ => "a")
      val store = new Tagged
      def opened = TimelineFiles.open(store, table.base)
      val first = opened
      assert((store.reads.get, store.lists.get) == ((1, 0)) && first.folder.isEmpty)
      val second = opened
      assert((store.reads.get, store.lists.get) == ((1, 1)))
      assert(second.config eq first.config)
      assert(second.folder.exists(_.mayHave(second.files.layout.commits)))
      assert(!second.folder.exists(_.mayHave(second.files.layout.bucketRules)))
      change(table, "a", "1")
      val third = opened
      assert(store.reads.get == 2 && third.folder.isEmpty)
      assert(third.config.properties.get("a").contains("1"))
      assert(opened.config eq third.config)
    }
  }

  test("a store without tags has its properties read each time") {
    use { table =>
      table.merge(1)(_ => "a")
      val first = TimelineFiles.open(LocalStorage, table.base)
      change(table, "a", "2")
      assert(first.folder.isEmpty)
      assert(TimelineFiles.open(LocalStorage, table.base).config.properties.get("a").contains("2"))
    }
  }

  private def change(table: TestTable, key: String, value: String): Unit = {
    val file = Storage.resolve(table.base, ".hoodie/hoodie.properties")
    TempFolder.write(file, s"${TempFolder.text(file)}\n$key=$value\n")
  }
}
