package hudilite.index

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.{Bucket, BucketCounts, BucketLayout}
import hudilite.view.FileSlice

class RescaleStepSuite extends AnyFunSuite {
  private def slice(number: Int, count: Int, bytes: Long = 1): FileSlice =
    FileSlice.ofBase("p=a", s"$number of $count", "1", new Path(s"/t/p=a/$number-$count"), bytes)
      .copy(bucket = Some(Bucket(number, count)))

  test("a bucket is divided into those with its keys") {
    val steps = RescaleStep.of("p=a", Seq(slice(2, 3, 5), slice(0, 3), slice(1, 9)), 9)
    assert(steps.map(_.from.flatMap(_.bucket)) == Seq(Seq(Bucket(0, 3)), Seq(Bucket(2, 3))))
    assert(steps.map(_.to) ==
      Seq(Seq(0, 3, 6).map(Bucket(_, 9)), Seq(2, 5, 8).map(Bucket(_, 9))))
    assert(steps.map(_.bytes) == Seq(1L, 5L) && steps.map(_.whole) ==
      Seq(Bucket(0, 3), Bucket(2, 3)))
    assert(steps.last.numbers(BucketCounts(3, 9, takesOther = true)) == Seq(2, 5, 8))
  }

  test("buckets with the keys of one become that one, whichever of them have files") {
    val steps = RescaleStep.of("p=a", Seq(7, 1, 2, 5).map(slice(_, 8)) :+ slice(0, 4), 4)
    assert(steps.map(_.from.flatMap(_.bucket).map(_.number)) == Seq(Seq(1, 5), Seq(2), Seq(7)))
    assert(steps.map(_.to) == Seq(1, 2, 3).map(n => Seq(Bucket(n, 4))))
  }

  test("after all steps, each key is in one bucket of the count") {
    Seq(2 -> 12, 12 -> 2, 1 -> 5, 5 -> 1).foreach { case (from, to) =>
      val buckets = RescaleStep.of("", (0 until from).map(slice(_, from)), to).flatMap(_.to)
      assert(buckets.toSet == (0 until to).map(Bucket(_, to)).toSet && buckets.size == to)
      assert(BucketLayout.clashes(buckets.map(b => b -> b)).isEmpty)
    }
    assert(RescaleStep.of("", (0 until 4).map(slice(_, 4)), 4).isEmpty)
  }
}
