package hudilite.view

import java.util.UUID

import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.BaseFileName
import hudilite.timeline.{CommitMetadata, Timeline}

class WrittenFilesSuite extends AnyFunSuite {

  /** Commits of a table, and which of them were read. */
  private class Commits(commits: Map[String, Seq[String]]) {
    private val table = UUID.randomUUID.toString
    private var asked = Vector.empty[String]
    private var stamps = commits.map { case (time, _) => time -> Timeline.Stamp(10, 1) }

    def change(time: String, stamp: Timeline.Stamp): Unit = stamps += time -> stamp

    /** File id to instant as of these commits, and the commits that were read for it. */
    def of(times: String*): (Map[String, String], Seq[String]) = {
      asked = Vector.empty
      val found =
        WrittenFiles.of(table, stamps.filter { case (t, _) => times.contains(t) })(read).latest
      (found.getOrElse("p", Map.empty).map { case (id, file) => id -> file.instant }, asked)
    }

    private def read(time: String): Option[CommitMetadata] = {
      asked :+= time
      commits.get(time).map { ids =>
        if (ids.isEmpty) throw Timeline.corrupt(new org.apache.hadoop.fs.Path("/t"), "cut")
        CommitMetadata("UPSERT", "", ids.map(id => stat(id, time)))
      }
    }
  }

  private def stat(id: String, time: String) =
    TestTable.stat(id, s"p/${BaseFileName(id, "0-1-0", time).text}", None, 7)
      .copy(partitionPath = "p")

  private val three = Map("1" -> Seq("a", "b"), "2" -> Seq("a"), "3" -> Seq("c"))

  test("the latest file of each file group counts, and a commit is read once") {
    val table = new Commits(three)
    assert(table.of("1", "2") == ((Map("a" -> "2", "b" -> "1"), Seq("2", "1"))))
    assert(table.of("1", "2")._2.isEmpty)
    assert(table.of("1", "2", "3") == ((Map("a" -> "2", "b" -> "1", "c" -> "3"), Seq("3"))))
  }

  test("a commit that was numbered later and lies before others is taken in") {
    val table = new Commits(three)
    table.of("2", "3"): Unit
    assert(table.of("1", "2", "3") == ((Map("a" -> "2", "b" -> "1", "c" -> "3"), Seq("1"))))
  }

  test("an older snapshot reads nothing and names its own files") {
    val table = new Commits(three)
    table.of("1"): Unit
    table.of("1", "2"): Unit
    table.of("1", "2", "3"): Unit
    assert(table.of("1") == ((Map("a" -> "1", "b" -> "1"), Nil)))
    assert(table.of("1", "2", "3")._2.isEmpty)
  }

  test("commits that are no more name no files") {
    val table = new Commits(three)
    table.of("1", "2", "3"): Unit
    assert(table.of("1", "3") == ((Map("a" -> "1", "b" -> "1", "c" -> "3"), Seq("3", "1"))))
    assert(table.of("1") == ((Map("a" -> "1", "b" -> "1"), Seq("1"))))
  }

  test("a commit whose file is another one is read again") {
    val table = new Commits(three)
    table.of("1", "2"): Unit
    table.change("1", Timeline.Stamp(10, 2))
    assert(table.of("1", "2")._2 == Seq("2", "1"))
  }

  // F35
  test("a damaged commit and one that is archived meanwhile name no files") {
    val table = new Commits(Map("1" -> Seq("a"), "2" -> Nil))
    table.change("3", Timeline.Stamp(10, 1))
    assert(table.of("1", "2", "3")._1 == Map("a" -> "1"))
  }

  test("metadata beyond 64 MiB, that of older commits, is passed over") {
    val table = new Commits(three)
    table.change("2", Timeline.Stamp(64L << 20, 1))
    assert(table.of("1", "2", "3") == ((Map("c" -> "3"), Seq("3"))))
    assert(table.of("1", "2", "3")._2.isEmpty)
  }
}
