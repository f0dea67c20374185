package hudilite.index

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class InsertBinsSuite extends AnyFunSuite {
  private def text(n: Int): UTF8String = UTF8String.fromString(f"$n%06d")

  /** What tasks tell that have found each n-th of the keys. */
  private def samples(keys: Range, tasks: Int): Seq[InsertBins.Sample] =
    (0 until tasks).map { task =>
      val own = keys.filter(_ % tasks == task)
      InsertBins.Sample.spaced(
        own.size,
        i => text(own(i)),
        math.max(1, InsertBins.sampled / tasks),
        own.size.toLong,
        task
      )
    }

  private def counts(bins: InsertBins, keys: Range): Map[Int, Int] =
    keys.groupBy(key => bins.of(text(key))).map { case (group, of) => group -> of.size }

  test("a few keys fill what has room") {
    val keys = 0 until 100
    assert(counts(InsertBins.of(samples(keys, 4), Seq(2 -> 500L, 0 -> 500L), 1000, 3), keys) ==
      Map(2 -> 100))
    assert(counts(InsertBins.of(samples(keys, 1), Nil, 1000, 3), keys) == Map(3 -> 100))
  }

  test("many keys fill what has room, and new groups of like size hold neighbours") {
    val keys = 0 until 100000
    val bins = InsertBins.of(samples(keys, 8), Seq(1 -> 10000L), 40000, 5)
    val found = counts(bins, keys)
    assert(found.keySet == Set(1, 5, 6, 7))
    assert(math.abs(found(1) - 10000) < 2000 && Seq(5, 6, 7).forall(g => found(g) < 33000))
    val groups = keys.map(key => bins.of(text(key)))
    assert(groups.zip(groups.tail).count { case (a, b) => a != b } == 3)
  }

  test("new groups are of like size however many tasks sample the keys") {
    val keys = 0 until 100000
    for (tasks <- Seq(1, 8, 200, 1000)) {
      val found = counts(InsertBins.of(samples(keys, tasks), Nil, 10000, 0), keys)
      assert(found.keySet == (0 until 10).toSet, tasks)
      assert(found.values.forall(n => math.abs(n - 10000) < 1000), s"$tasks tasks: $found")
    }
  }
}
