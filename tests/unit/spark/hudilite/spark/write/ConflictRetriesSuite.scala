package hudilite.spark.write

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

class ConflictRetriesSuite extends AnyFunSuite {
  private val conflict = HudiliteException("HUDILITE_CONCURRENT_WRITE", "table" -> "t",
    "bucket" -> "1", "instant" -> "20240101000000000")
  private val gone = HudiliteException("HUDILITE_MISSING_FILE", "path" -> "/t/.log")
  private val other = HudiliteException("HUDILITE_MISSING_DATA_FILE", "path" -> "/t/1.parquet",
    "instant" -> "20240101000000000")

  /** Returns the number of attempts, and the condition of the last one if it failed. */
  private def ran(most: Int, faults: HudiliteException*): (Int, Option[String]) = {
    val left = faults.iterator
    val attempts = Iterator.from(1)
    val all = attempts.buffered
    val end =
      try {
        ConflictRetries.run(most) {
          all.next(): Unit
          left.nextOption().foreach(e => throw e)
        }
        None
      } catch { case e: HudiliteException => Some(e.condition) }
    (all.head - 1, end)
  }

  test("what conflicts runs again, a number of times") {
    assert(ran(2) == (1 -> None))
    assert(ran(2, conflict, conflict) == (3 -> None))
    assert(ran(1, conflict, conflict) == (2 -> Some("HUDILITE_CONCURRENT_WRITE")))
    assert(ran(0, conflict) == (1 -> Some("HUDILITE_CONCURRENT_WRITE")))
  }

  test("other errors end it") {
    assert(ran(5, other) == (1 -> Some("HUDILITE_MISSING_DATA_FILE")))
    assert(ran(5, conflict, gone) == (2 -> Some("HUDILITE_MISSING_FILE")))
  }
}
