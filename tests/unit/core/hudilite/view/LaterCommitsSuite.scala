package hudilite.view

import org.scalatest.funsuite.AnyFunSuite

import hudilite.timeline.{CommitMetadata, WriteStat}

/** What later commits tell about the files of an earlier state, which has instants below 5. */
class LaterCommitsSuite extends AnyFunSuite {
  private def stat(id: String, before: String, isLog: Boolean): WriteStat = {
    val log = Option.when(isLog)(WriteStat.Log(1, "", Nil))
    WriteStat(id, s"p/$id", before, None, "p", 1, 0, 1, 0, 9, 9, log)
  }
  private def base(id: String, before: String) = writes(stat(id, before, isLog = false))
  private def log(id: String, before: String) = writes(stat(id, before, isLog = true))
  private def writes(stats: WriteStat*) = CommitMetadata("UPSERT", "", stats)
  private def hides(id: String) =
    CommitMetadata("INSERT_OVERWRITE", "", Nil, Map("p" -> Seq(id)))

  private def replaced(commits: CommitMetadata*): Map[String, String] =
    LaterCommits.replaced(commits, _ < "5").getOrElse("p", Map.empty)

  test("the first commit that replaces the base of a file group names it") {
    assert(replaced(base("a", "3"), base("a", "7")) == Map("a" -> "3"))
    assert(replaced(base("a", "null"), base("a", "7"), hides("a")).isEmpty)
    assert(replaced(base("a", "6"), base("b", "2")) == Map("b" -> "2"))
  }

  test("a hidden file group was there, unless a later commit began it") {
    assert(replaced(hides("a")) == Map("a" -> ""))
    assert(replaced(base("a", "null"), hides("a")).isEmpty)
    assert(replaced(log("a", "6"), hides("a")).isEmpty)
  }

  test("a log file may name the base, and one that does not leaves it to the next base") {
    assert(replaced(log("a", "3")) == Map("a" -> "3"))
    assert(replaced(log("a", "6"), log("a", "7"), base("a", "3")) == Map("a" -> "3"))
    assert(replaced(log("a", "6"), base("a", "null")).isEmpty)
  }
}
