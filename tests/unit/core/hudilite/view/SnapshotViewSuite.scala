package hudilite.view

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.CommittedFile
import hudilite.format.BaseFileName
import hudilite.io.FileEntry
import hudilite.timeline.{FileGroupRef, Instant}

class SnapshotViewSuite extends AnyFunSuite {
  private def t(n: Int): String = f"202401010000000$n%02d"
  private def file(id: String, n: Int, token: String = "0-1-0"): FileEntry =
    entry(BaseFileName(id, token, t(n)).text)
  private def entry(name: String, isDirectory: Boolean = false): FileEntry =
    FileEntry(new Path("/t/p", name), 7, isDirectory)

  private val view =
    SnapshotView(
      Set(t(3), t(5)),
      Set(t(4), t(1)),
      Some(t(3)),
      Map(FileGroupRef("q", "gone") -> t(5))
    )

  private def latest(entries: FileEntry*): Seq[String] =
    view.latest(entries, "p", _ => None).map(s => s"${s.fileId}@${s.instant}")

  test("the highest committed instant of each file group counts") {
    assert(latest(file("a", 3), file("a", 5), file("b", 3)) == Seq(s"a@${t(5)}", s"b@${t(3)}"))
  }

  // F50
  test("files of pending, unknown later and later committed instants do not count") {
    assert(latest(file("a", 3), file("a", 4), file("a", 6), file("b", 4)) == Seq(s"a@${t(3)}"))
  }

  test("an instant before the active timeline was archived, unless it is pending") {
    assert(latest(file("a", 2), file("b", 1)) == Seq(s"a@${t(2)}"))
  }

  test("of a bootstrap the files count that its commit names: every attempt has its instant") {
    val one = Instant.bootstrap
    val name = BaseFileName("named", "0-1-0", one).text
    val named = Map("p" -> Map("named" -> CommittedFile(one, name, 7)))
    val files = Seq(entry(name), entry(BaseFileName("stray", "0-1-0", one).text))
    val known = SnapshotView(Set(one), Set.empty, Some(one), Map.empty, named)
    assert(known.latest(files, "p", _ => None).map(_.fileId) == Seq("named"))
    val archived = known.copy(completed = Set(t(5)), firstActive = Some(t(5)), written = Map.empty)
    assert(archived.latest(files, "p", _ => None).size == 2)
  }

  test("nothing counts while nothing is committed") {
    val empty = SnapshotView(Set.empty, Set.empty, None, Map.empty)
    assert(empty.latest(Seq(file("a", 1)), "p", _ => None).isEmpty)
  }

  test("a replaced file group is hidden in its partition alone") {
    assert(latest(file("gone", 3)) == Seq(s"gone@${t(3)}"))
    assert(
      view.latest(Seq(file("gone", 3), file("new", 5)), "q", _ => None).map(_.fileId) == Seq("new")
    )
  }

  // F50, F54, F59
  test("other names and folders are passed over, duplicates count once") {
    val strays = Seq(
      ".hoodie_partition_metadata",
      "part-00000.snappy.parquet",
      "a_0-1_20240101000000003.parquet",
      "a_0-1-0_20240101000000003.parquet.tmp",
      "a_0-1-0_20240101000000003.parquet.crc",
      "_SUCCESS",
      "a_b_0-1-0_20240101000000003.parquet"
    ).map(entry(_))
    val folder = entry(BaseFileName("d", "0-1-0", t(3)).text, isDirectory = true)
    assert(latest(strays ++ Seq(folder, file("a", 3), file("a", 3)): _*) == Seq(s"a@${t(3)}"))
  }

  // F14
  test("of two attempts of one instant the recorded one counts, and only then is the record read") {
    val entries = Seq(file("a", 3), file("a", 5, "1-2-9"), file("a", 5, "1-2-3"), file("b", 3))
    val winner = BaseFileName("a", "1-2-3", t(5)).text
    val slices = view.latest(entries, "p", time => Option.when(time == t(5))(Set(winner)))
    assert(slices.map(_.fileName).head == winner)
    assert(view.latest(entries, "p", _ => None).head.fileName.contains("_1-2-9_"))
    val older = view.latest(entries, "p", _ => Some(Set.empty)).map(s => s.fileId -> s.instant)
    assert(older == Seq("a" -> t(3), "b" -> t(3)))
    view.latest(Seq(file("a", 3), file("a", 5)), "p", _ => fail("no duplicate"))
  }
}
