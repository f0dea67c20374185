package hudilite.index

import org.scalatest.funsuite.AnyFunSuite

class ZValueSuite extends AnyFunSuite {

  test("bits are interleaved from the highest ones, those of the first number first") {
    assert(ZValue.of(Array(0, 0), 2) == 0)
    assert(ZValue.of(Array(1, 0), 2) == 2)
    assert(ZValue.of(Array(0, 1), 2) == 1)
    assert(ZValue.of(Array(2, 1), 2) == 9)
    assert(ZValue.of(Array(3, 3), 2) == 15)
    assert(ZValue.of(Array(5, 0, 7), 3) == Integer.parseInt("101001101", 2))
  }

  test("the value of one number is that number") {
    (0 until 1 << ZValue.width(1)).foreach(n =>
      assert(ZValue.of(Array(n), ZValue.width(1)) == n.toLong)
    )
  }

  test("different numbers have different values, and greater ones in all places a greater value") {
    val all = for (x <- 0 until 16; y <- 0 until 16) yield (x, y) -> ZValue.of(Array(x, y), 4)
    assert(all.map(_._2).toSet == (0L until 256L).toSet)
    for (((x, y), one) <- all; ((a, b), other) <- all if x < a && y < b) assert(one < other)
  }

  test("a quarter of the values is a square of the numbers") {
    val first =
      for (x <- 0 until 16; y <- 0 until 16 if ZValue.of(Array(x, y), 4) < 64) yield (x, y)
    assert(first.forall { case (x, y) => x < 8 && y < 8 })
  }

  test("as many numbers as a z-order may have fit into a value that is not negative") {
    (1 to ZValue.mostNumbers).foreach { numbers =>
      val width = ZValue.width(numbers)
      assert(width >= 7)
      val most = ZValue.of(Array.fill(numbers)((1 << width) - 1), width)
      assert(most == (1L << (width * numbers)) - 1, s"$numbers numbers")
    }
  }

  test("a few numbers are spread over all bits, in their order") {
    assert((0 until 3).map(ZValue.spread(_, 3, 10)) == Seq(0, 341, 682))
    assert((0 until 2).map(ZValue.spread(_, 2, 10)) == Seq(0, 512))
    assert(ZValue.spread(0, 1, 10) == 0)
    val whole = (0 until 1024).map(ZValue.spread(_, 1024, 10))
    assert(whole == (0 until 1024))
  }
}
