package hudilite.timeline

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.io.{CreateGuarantee, FileEntry, LocalStorage, Storage, TempFolder}

class TimelineSuite extends AnyFunSuite {
  import TempFolder._

  private def load(files: (String, String)*): Timeline = use { dir =>
    files.foreach { case (name, content) => write(Storage.resolve(dir, s".hoodie/$name"), content) }
    Timeline.load(TimelineFiles.of(LocalStorage, dir))
  }

  private def t(n: Int): String = f"202401010000000$n%02d"

  test("an absent folder is an empty timeline") {
    assert(load() == Timeline(Vector.empty))
  }

  test("completed and pending writes are told apart, other actions only raise the last instant") {
    val timeline = load(
      s"${t(1)}.commit" -> "{}",
      s"${t(2)}.replacecommit" -> "{}",
      s"${t(3)}.commit.requested" -> "",
      s"${t(3)}.inflight" -> "",
      s"${t(4)}.replacecommit.requested" -> "",
      s"${t(5)}.rollback" -> "x",
      s"${t(6)}.clean.requested" -> "",
      "hoodie.properties" -> "",
      ".DS_Store" -> ""
    )
    assert(timeline.completed.map(_.time) == Vector(t(1), t(2)))
    assert(timeline.pending == Set(t(3), t(4)))
    assert(timeline.last.contains(t(6)))
    assert(timeline.firstActive.contains(t(1)))
    assert(timeline.isInflight(t(3), "commit") && !timeline.isInflight(t(4), "replacecommit"))
  }

  test("commits that a savepoint kept back from archival do not begin the active timeline") {
    val timeline = load(
      s"${t(1)}.commit" -> "{}",
      s"${t(1)}.savepoint" -> "x",
      s"${t(5)}.commit" -> "{}"
    )
    assert(timeline.firstActive.contains(t(5)))
    assert(timeline.completedTimes == Set(t(1), t(5)))
  }

  // F34
  test("an empty completed file is refused by name") {
    Seq("commit", "replacecommit").foreach { action =>
      val e = intercept[HudiliteException](load(s"${t(1)}.$action" -> ""))
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
      assert(e.parameters("path").endsWith(s"${t(1)}.$action"))
    }
  }

  // F41
  test("an instant that is completed as two actions is refused") {
    val e =
      intercept[HudiliteException](load(s"${t(1)}.commit" -> "{}", s"${t(1)}.rollback" -> "x"))
    assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
  }

  // F38
  test("a folder with the name of an instant is passed over") {
    assert(load(s"${t(1)}.commit/x" -> "{}") == Timeline(Vector.empty))
  }

  // F59
  test("a listing that shows a file twice does no harm") {
    use { dir =>
      write(Storage.resolve(dir, s".hoodie/${t(1)}.commit"), "{}")
      val twice = new ListedTwice
      val plain = Timeline.load(TimelineFiles.of(LocalStorage, dir))
      assert(Timeline.load(TimelineFiles.of(twice, dir)) == plain)
    }
  }
}

/** Storage whose listings repeat each entry in another order. */
class ListedTwice extends Storage {
  def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] = {
    val once = LocalStorage.list(dir, detailed)
    once.reverse ++ once
  }
  def longListing: Int = LocalStorage.longListing
  def status(path: Path): Option[FileEntry] = LocalStorage.status(path)
  def read(path: Path): Array[Byte] = LocalStorage.read(path)
  def createNew(path: Path, bytes: Array[Byte]): Boolean = LocalStorage.createNew(path, bytes)
  def replace(path: Path, bytes: Array[Byte]): Unit = LocalStorage.replace(path, bytes)
  def delete(path: Path): Boolean = LocalStorage.delete(path)
  def guarantee: CreateGuarantee = LocalStorage.guarantee
  def deleteTree(dir: Path): Boolean = LocalStorage.deleteTree(dir)
  def deleteEmpty(dir: Path): Boolean = LocalStorage.deleteEmpty(dir)
  def mkdirs(dir: Path): Unit = LocalStorage.mkdirs(dir)
  def fsync(path: Path): Unit = LocalStorage.fsync(path)
}
