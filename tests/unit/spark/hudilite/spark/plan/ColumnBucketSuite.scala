package hudilite.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.RecordKey
import hudilite.index.BucketIndex

class ColumnBucketSuite extends AnyFunSuite {
  private val texts =
    Seq("a", "", "a:b", "a,b", "a,b:c", "x,id:3", "x,day:3", "__null__", "é:,", ",", ":")
  private val days = Seq("0", "-17")

  private def bound(bucket: ColumnBucket, dataType: DataType): BoundColumnBucket =
    bucket.bind(new StructType().add("column", dataType)) match {
      case found: BoundColumnBucket => found
      case other => fail(other.canonicalName)
    }

  private def number(bucket: ColumnBucket, text: String): Int =
    bound(bucket, StringType).produceResult(InternalRow(UTF8String.fromString(text)))

  test("a plain key has the bucket of its text") {
    val bucket = ColumnBucket(64, "id", Seq("id"), complexKey = false)
    texts.foreach(t => assert(number(bucket, t) == BucketIndex.bucketOfKey(t, Seq("id"), 64), t))
  }

  test("a key that is stored with its name has the bucket of that") {
    val bucket = ColumnBucket(64, "id", Seq("id"), complexKey = true)
    texts.foreach { text =>
      val key = RecordKey.complex(Seq("id"), Seq(text))
      assert(number(bucket, text) == BucketIndex.bucketOfKey(key, Seq("id"), 64), text)
    }
  }

  test("a column of a key of several has its bucket whatever the others hold") {
    for (keys <- Seq(Seq("id", "day"), Seq("day", "id")); text <- texts; day <- days) {
      val values = keys.map(key => if (key == "id") text else day)
      val stored = RecordKey.complex(keys, values)
      val expected = BucketIndex.bucketOfKey(stored, Seq("id"), 64)
      assert(number(ColumnBucket(64, "id", keys, complexKey = true), text) == expected, stored)
    }
  }

  test("null has no bucket") {
    val bucket = bound(ColumnBucket(8, "id", Seq("id"), complexKey = false), IntegerType)
    assert(Option(bucket.produceResult(InternalRow(null))).isEmpty)
  }

  test("its name in the catalog says all of it") {
    Seq(
      ColumnBucket(8, "id", Seq("id"), complexKey = false),
      ColumnBucket(16, "day", Seq("id", "day"), complexKey = true)
    ).foreach(bucket => assert(ColumnBucket.named(bucket.name).contains(bucket)))
    Seq("bucket", "hudilite_bucket", "hudilite_bucket:0:id:id:false", "hudilite_bucket:8:id:id:x")
      .foreach(name => assert(ColumnBucket.named(name).isEmpty, name))
  }

  test("a value that is hashed as it is has one function whatever the columns are called") {
    val one = ColumnBucket(8, "id", Seq("id"), complexKey = false)
    val other = ColumnBucket(8, "k", Seq("k", "day"), complexKey = true)
    val named = ColumnBucket(8, "id", Seq("id"), complexKey = true)
    def same(left: ColumnBucket, right: ColumnBucket, dataType: DataType) =
      bound(left, dataType).canonicalName == bound(right, dataType).canonicalName
    Seq(IntegerType, LongType, DateType, BinaryType, DecimalType(20, 9)).foreach { dataType =>
      assert(same(one, other, dataType), dataType)
      assert(!same(one, named, dataType), dataType)
      assert(!same(one, one.copy(numBuckets = 16), dataType), dataType)
    }
    assert(!same(one, other, StringType))
    assert(!same(one, one.copy(field = "k", keyFields = Seq("k")), StringType))
    assert(bound(one, IntegerType).canonicalName != bound(one, LongType).canonicalName)
    (-300 to 300).foreach { i =>
      val row = InternalRow(i)
      assert(
        bound(one, IntegerType).produceResult(row) == bound(other, IntegerType).produceResult(row)
      )
    }
  }

  test("a type whose values have several texts has none") {
    val bucket = ColumnBucket(8, "id", Seq("id"), complexKey = false)
    intercept[UnsupportedOperationException](bucket.bind(new StructType().add("id", DoubleType)))
  }
}
