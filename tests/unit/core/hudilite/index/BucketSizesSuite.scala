package hudilite.index

import org.scalatest.funsuite.AnyFunSuite

import hudilite.index.BucketSizes.{Advice, advice, least, most, wished}

class BucketSizesSuite extends AnyFunSuite {
  private def files(partition: String, sizes: Long*) = sizes.map(partition -> _)

  test("a mean within the band needs no advice") {
    assert(advice(files("", least, least), 8).isEmpty)
    assert(advice(files("", most), 8).isEmpty)
    assert(advice(files("", 1, 2 * wished), 8).isEmpty, "it is the mean that counts")
    assert(advice(Nil, 8).isEmpty)
  }

  test("files that are too small need fewer buckets") {
    assert(advice(files("", least - 1), 8) == Some(Advice("", least - 1, 2)))
    assert(advice(files("p=a", 3L << 20, 1L << 20), 600) == Some(Advice("p=a", 2L << 20, 10)))
  }

  test("few bytes are small however they are cut") {
    assert(advice(files("", least / 8), 8).isEmpty)
    assert(advice(files("", least / 8 + 1), 8).nonEmpty)
    assert(advice(files("", 1000), 1).isEmpty)
    assert(advice(files("", least - 1), 1).isEmpty, "fewer than one there cannot be")
  }

  test("files that are too large need more buckets, up to Hudi's most") {
    assert(advice(files("", most + 1), 2) == Some(Advice("", most + 1, 5)))
    assert(advice(files("", 40 * wished), 90000).map(_.better) == Some(100000))
    assert(advice(files("", 40 * wished), 100000).isEmpty, "no better number is left")
  }

  test("the partition with the largest files speaks for the table") {
    val begun = files("p=new", 1 << 20, 1 << 20)
    assert(advice(files("p=old", wished, wished) ++ begun, 16).isEmpty)
    assert(advice(files("p=old", 4L << 20) ++ begun, 60).map(_.partition) == Some("p=old"))
  }
}
