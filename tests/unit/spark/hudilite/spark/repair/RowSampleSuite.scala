package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class RowSampleSuite extends AnyFunSuite {
  private val project = UnsafeProjection.create(Array[DataType](LongType, StringType))

  private def sampled(sample: RowSample, rows: Int, length: Int => Int): Seq[Long] = {
    (0 until rows).foreach { i =>
      sample.add(project(InternalRow(i.toLong, UTF8String.fromString("x" * length(i)))))
    }
    assert(sample.count == rows)
    sample.rows.map(_.getLong(0))
  }

  test("few rows are all in the sample, of many each is as likely as any other") {
    assert(sampled(new RowSample(10, 1 << 20, 1), 10, _ => 3) == (0L until 10L))
    val found =
      (0 until 200).flatMap(seed => sampled(new RowSample(10, 1 << 20, seed), 100, _ => 3))
    assert(found.size == 2000)
    assert((found.sum / found.size - 50).abs < 4)
    assert(found.count(_ < 20) > 300)
    assert(found.count(_ >= 80) > 300)
  }

  test("a sample of long rows is smaller, and has rows from all places") {
    val sample = new RowSample(1000, 64 << 10, 1)
    val found = sampled(sample, 5000, _ => 1000)
    assert(sample.rows.map(_.getSizeInBytes.toLong).sum <= (64 << 10))
    assert(found.size > 30)
    assert(found.min < 1000)
    assert(found.max > 4000)
  }

  test("one row is in the sample, however long it is") {
    assert(sampled(new RowSample(1000, 10, 1), 50, _ => 100).size == 1)
  }

  test("a repeated task samples the same rows") {
    def once(): Seq[Long] = sampled(new RowSample(5, 300, 7), 1000, i => i % 90)
    assert(once() == once())
  }
}
