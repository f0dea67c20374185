package hudilite.spark.locate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.index.InsertBins

class SampledKeysSuite extends AnyFunSuite {

  private val toUnsafe = UnsafeProjection.create(TaggedRow.columns.map(_.dataType).toArray)

  private def tagged(partition: String, key: Option[String]): InternalRow =
    toUnsafe(InternalRow(
      UTF8String.fromString(partition),
      null,
      key.map(UTF8String.fromString).orNull,
      null
    )).copy()

  private def sampled(rows: Iterator[InternalRow], most: Int): Map[String, SampledKeys] =
    SampledKeys.of(rows, most, 0).map(of => of.path -> of).toMap

  test("samples are spread evenly over the keys, in whatever order they come") {
    val n = 100000
    Seq[Int => Int](i => i, i => n - 1 - i, i => ((i.toLong * 7919) % n).toInt).foreach { order =>
      val rows = Iterator.range(0, n).map(i => tagged("a", Some(f"${order(i)}%06d")))
      val found = sampled(rows, 100)("a")
      assert(found.sample.count == n && found.sample.keys.size == 100)
      found.sample.keys.map(_.toString.toInt).zipWithIndex.foreach { case (key, i) =>
        assert(math.abs(key - (i + 0.6) * n / 100) < n / 50, s"key $i of the sample")
      }
    }
  }

  test("each partition has a sample, rows without a key have none") {
    val rows = Iterator.range(0, 50000).map(i => tagged("large", Some(i.toString))) ++
      Iterator.range(0, 3).map(i => tagged(s"small$i", Some("k"))) ++
      Iterator(tagged("small0", None), tagged("none", None))
    val found = sampled(rows, 10)
    assert(found.keySet == Set("large", "small0", "small1", "small2"))
    assert(found("small0").sample == InsertBins.Sample(Vector(UTF8String.fromString("k")), 1))
    assert(found("large").sample.count == 50000 && found("large").sample.keys.size == 10)
  }
}
