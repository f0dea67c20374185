package hudilite.spark.bootstrap

import org.scalatest.funsuite.AnyFunSuite

class KeyHashesSuite extends AnyFunSuite {

  test("every hash comes back once, in a piece of its range") {
    val ranges = 3
    val hashes = new KeyHashes(ranges)
    val added = (0L until 100000L).map(_ * 0x9e3779b97f4a7c15L)
    val pieces = added.flatMap { hash =>
      hashes.add(hash)
      hashes.full()
    } ++ hashes.rest()
    assert(pieces.flatMap(_._2).sorted == added.sorted)
    assert(pieces.forall { case (range, piece) => piece.forall(h => (h >>> 1) % ranges == range) })
    assert(hashes.full() == Nil)
  }

  test("hashes that occur more than once are found, each once, whichever pieces they are in") {
    val some = Array(5L, -1L, Long.MinValue, 5L, 1L << 60)
    val others = Array(-1L, 7L, 5L, (1L << 60) + 1)
    assert(KeyHashes.repeated(Seq(some, others)).toSeq.sorted == Seq(-1L, 5L))
    assert(KeyHashes.repeated(Nil).isEmpty)
    assert(KeyHashes.repeated(Seq(Array(1L, 2L, 3L))).isEmpty)
  }
}
