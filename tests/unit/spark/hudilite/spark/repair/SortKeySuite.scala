package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{IntegerType, StructField}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.spark.repair.SortKeySuite._

class SortKeySuite extends AnyFunSuite {

  test("rows are spread evenly over ranges, and each follows the bounds before it") {
    val keys = new SortKey.Factory(order(isZOrder = false))
    val rows = (0 until 100).map(i => row(Some(i), i % 7, i))
    val key = keys.of(weighted(rows))
    val ranges = RowRanges.of(weighted(rows), 4, key.ordering)
    assert(ranges.count == 4)
    val numbers = rows.map(of => ranges.of(key.of(of)))
    assert(numbers == numbers.sorted)
    assert(numbers.groupBy(identity).values.forall(_.size == 25))
    assert(ranges.of(key.of(row(None, 0, 0))) == 0, "NULL comes first")
    assert(ranges.of(key.of(row(Some(1000), 0, 0))) == 3)
  }

  test("a row stands for as many rows as its weight says") {
    val keys = new SortKey.Factory(order(isZOrder = false))
    val sample = (0 until 10).map(i => row(Some(i), 0, i) -> (if (i == 0) 90f else 10f))
    val key = keys.of(sample)
    val ranges = RowRanges.of(sample, 2, key.ordering)
    assert((0 until 10).map(i => ranges.of(key.of(row(Some(i), 0, i)))) == 0 +: Seq.fill(9)(1))
  }

  test("rows with the same values are parted by their record keys") {
    val keys = new SortKey.Factory(order(isZOrder = false))
    val rows = (0 until 100).map(i => row(Some(1), 1, i))
    val key = keys.of(weighted(rows))
    assert(RowRanges.of(weighted(rows), 10, key.ordering).count == 10)
  }

  test("files of a z-order have a part of the values of each column") {
    val keys = new SortKey.Factory(order(isZOrder = true))
    val rows = for (x <- 0 until 40; y <- 0 until 40) yield row(Some(x), y, x * 40 + y)
    val key = keys.of(weighted(rows))
    val keyed = rows.map(of => key.of(of).copy() -> 1f)
    val ranges = RowRanges.of(keyed, 16, key.ordering)
    assert(ranges.count == 16)
    val files = rows.groupBy(of => ranges.of(key.of(of))).values
    Seq(0, 1).foreach { column =>
      val parts = files.map(_.map(_.getInt(column))).map(values => values.max - values.min)
      assert(parts.sum / parts.size < 20, s"column $column: $parts")
    }
  }

  test("a partition whose rows were not sampled has one range") {
    Seq(true, false).foreach { isZOrder =>
      val key = new SortKey.Factory(order(isZOrder)).of(Nil)
      val ranges = RowRanges.of(Nil, 1, key.ordering)
      assert(ranges.count == 1)
      assert(ranges.of(key.of(row(Some(3), 4, 5))) == 0)
    }
  }
}

private object SortKeySuite {

  def order(isZOrder: Boolean): ClusterOrder =
    ClusterOrder(Seq("x", "y").map(StructField(_, IntegerType)), isZOrder)

  def row(x: Option[Int], y: Int, key: Int): InternalRow =
    InternalRow.fromSeq(
      Seq(x.map(Integer.valueOf(_)).orNull, y, UTF8String.fromString(f"k$key%06d"))
    )

  def weighted(rows: Seq[InternalRow]): Seq[RowRanges.Weighted] = rows.map(_ -> 1f)
}
