package hudilite.timeline

import java.time.ZoneId

import org.scalatest.funsuite.AnyFunSuite

/** Times of completion of instants that have none in their names. */
class CompletionsSuite extends AnyFunSuite {
  private val utc = ZoneId.of("UTC")
  private val noon = 1735732800000L // 2025-01-01 12:00 UTC

  private def commit(time: String) = Instant(time, Instant.commit, Instant.Completed)

  private def of(writes: Completions.Done*): Seq[String] = {
    val found = Completions.of(writes, Nil, utc)
    writes.map(done => found(done.instant))
  }

  test("the recorded time comes first, then that of the file, then the instant") {
    val time = "20250101115900000"
    assert(of(Completions.Done(commit(time), noon, Some("20250101115900777"))) ==
      Seq("20250101115900777"))
    assert(of(Completions.Done(commit(time), noon, None)) == Seq("20250101120000000"))
    assert(of(Completions.Done(commit(time), 0L, None)) == Seq("20250101115900001"))
  }

  test("the time of a file is shown in the zone of the timeline") {
    val zone = ZoneId.of("America/Los_Angeles")
    val done = Completions.Done(commit("20250101035900000"), noon, None)
    assert(Completions.of(Seq(done), Nil, zone).values.toSeq == Seq("20250101040000000"))
  }

  test("times rise with the order of writes, and lie above their instants") {
    val (one, two, three) = ("20250101120500000", "20250101120400000", "20250101120600000")
    assert(of(
      Completions.Done(commit(one), noon, None),
      Completions.Done(commit(two), noon, None),
      Completions.Done(commit(three), noon, Some("20250101120500001"))
    ) == Seq("20250101120500001", "20250101120500002", "20250101120600001"))
  }

  test("the time of a copied file does not push later times away") {
    val (one, two) = ("20250101110000000", "20250101110500000")
    assert(of(
      Completions.Done(commit(one), noon, None),
      Completions.Done(commit(two), noon, Some("20250101110500999"))
    ) == Seq("20250101110000001", "20250101110500999"))
  }

  test("an instant with 14 digits is completed after its second began") {
    assert(of(Completions.Done(commit("00000000000001"), 0L, None)) == Seq("19700101000000000"))
    assert(of(Completions.Done(commit("20250101120500"), noon, None)) == Seq("20250101120500000"))
  }

  test("actions that are no writes do not delay each other") {
    val saved = Instant("20250101120500000", "savepoint", Instant.Completed)
    val cleaned = Instant("20250101110000000", "clean", Instant.Completed)
    val others = Seq(saved, cleaned).map(Completions.Done(_, noon, None))
    val found = Completions.of(Nil, others, utc)
    assert(found == Map(saved -> "20250101120500001", cleaned -> "20250101120000000"))
  }
}
