package hudilite.view

import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.timeline.{CommitMetadata, Timeline}

/** The columns of a table are those of its latest commit that changes rows. */
class ColumnCommitsSuite extends AnyFunSuite {
  private val table = new Path("/columns-of")

  private def commit(operation: String, schema: String) = CommitMetadata(operation, schema, Nil)

  private val commits = Map(
    "1" -> commit("UPSERT", "one"),
    "2" -> commit("COMPACT", "two"),
    "3" -> commit("CLUSTER", "three"),
    "4" -> commit("CLUSTER", "four"),
    "5" -> commit("UPSERT", "five")
  )

  /** Returns the schema that is found, and the instants whose commits are read. */
  private def found(path: Path, times: Seq[String], millis: Long = 0): (String, Seq[String]) = {
    val read = new AtomicReference(Seq.empty[String])
    val stamps = times.map(_ -> Timeline.Stamp(1, millis)).toMap
    val commit = ColumnCommits.of(path, times, stamps) { time =>
      read.set(read.get :+ time)
      commits.get(time)
    }
    (commit.fold("")(_.schema), read.get)
  }

  test("compactions and clusterings are read once") {
    assert(found(table, Seq("3", "2", "1")) == ("one" -> Seq("3", "2", "1")))
    assert(found(table, Seq("3", "2", "1")) == ("one" -> Nil))
    assert(found(table, Seq("4", "3", "2", "1")) == ("one" -> Seq("4")))
    assert(found(table, Seq("5", "4", "3", "2", "1")) == ("five" -> Seq("5")))
    assert(found(table, Seq("5", "4", "3", "2", "1")) == ("five" -> Nil))
    assert(found(table, Seq("4", "3", "2", "1")) == ("one" -> Seq("4", "3", "2", "1")))
    assert(found(table, Seq("4", "3", "2", "1"), millis = 9)._2.size == 4, "of another table")
  }

  test("a compaction counts if there is no other commit") {
    assert(found(new Path("/compacted"), Seq("3", "2"))._1 == "three")
  }
}
