package hudilite.index

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.OracleFile.texts
import hudilite.{OracleFile, RandomText}

class BucketIndexSuite extends AnyFunSuite {
  private val noText = Option.empty[String].orNull

  private def ofUtf8(key: String, fields: Seq[String], n: Int): Int =
    BucketIndex.bucketOfKeyUtf8(UTF8String.fromString(key), fields.toArray, n)

  // F52
  test("stock Hudi's bucket of each key, by both paths") {
    OracleFile.rows("stock_buckets.json").foreach { row =>
      val (key, fields) = (row.get("key").asText, texts(row.get("hashFields")))
      val (n, bucket) = (row.get("numBuckets").asInt, row.get("bucket").asInt)
      assert(BucketIndex.bucketOfKey(key, fields, n) == bucket, key)
      assert(ofUtf8(key, fields, n) == bucket, key)
    }
  }

  test("pinned buckets of values") {
    assert(
      Seq("1", "0", "100", "abc")
        .map(v => BucketIndex.bucketOf(Seq(v), 256)) == Seq(80, 79, 16, 129)
    )
    assert(BucketIndex.bucketOf(Seq("-5"), 7) == 2)
    assert(BucketIndex.bucketOf(Seq("1", "a"), 256) == 17)
    assert(BucketIndex.bucketOf(Seq("1", noText), 3000) == 2480)
    assert(BucketIndex.bucketOf(Seq("1", ""), 3000) == 2480)
    assert(BucketIndex.bucketOf(Seq("2024-01-02"), 16) == 0)
    assert(BucketIndex.bucketOf(Seq("你好"), 16) == 12)
  }

  test("a hash of the least number has a bucket") {
    val text = "polygenelubricants"
    assert(text.hashCode == Int.MinValue)
    assert(BucketIndex.bucketOf(Seq(text), 7) == ((31 + Int.MinValue) & Int.MaxValue) % 7)
  }

  test("a composite key is hashed by its hash fields in key order") {
    val key = "id:1,name:k1"
    assert(BucketIndex.hashValues(key, Seq("name")) == Seq("k1"))
    assert(BucketIndex.hashValues(key, Seq("name", "id")) == Seq("1", "k1"))
    assert(BucketIndex.hashValues("id:1,name:__null__", Seq("id", "name")) == Seq("1", noText))
    assert(BucketIndex.hashValues("id:a:b,c,name:x", Seq("id")) == Seq("a:b,c"))
    assert(BucketIndex.hashValues("id:1", Seq("id")) == Seq("id:1"))
  }

  test("keys on which stock Hudi never returns have a bucket") {
    val keys = Seq("id:a,name:b:c", "id:id:1,name:name:2", "id:a:b:c,name:d:e:f")
    keys.foreach(key => assert(BucketIndex.hashValues(key, Seq("other")) == Seq(key)))
    assert(BucketIndex.hashValues(keys.head, Seq("id")) == Seq("a"))
  }

  test("bytes that are not UTF-8 have a bucket, whatever lies behind them in memory") {
    val torn = Seq(Array(0xf0), Array('a'.toInt, 0xe4, 0xbd), Array(0x80, 0xff),
      "id:a,name:".map(_.toInt).toArray :+ 0xc3)
    for (bytes <- torn.map(_.map(_.toByte)); fields <- Seq(Array("id"), Array("name"))) {
      val buckets = Seq(0, 'x', 0x9f).map { behind =>
        val memory = bytes ++ Array.fill(8)(behind.toByte)
        BucketIndex.bucketOfKeyUtf8(UTF8String.fromBytes(memory, 0, bytes.length), fields, 1 << 20)
      }
      assert(buckets.distinct.size == 1)
    }
  }

  test("both paths agree on random keys") {
    val random = new RandomText("BucketIndexSuite")
    val fieldLists = Seq(Seq("id"), Seq("name"), Seq("id", "name"), Seq("name", "id"), Seq("other"))
    (1 to 20000).foreach { _ =>
      val key =
        if (random.int(2) == 0) random.text(8) else s"id:${random.text(4)},name:${random.text(4)}"
      val (fields, n) = (fieldLists(random.int(fieldLists.size)), 1 + random.int(1000))
      assert(
        ofUtf8(key, fields, n) == BucketIndex.bucketOfKey(key, fields, n),
        s"seed ${random.seed}: $key"
      )
    }
  }

  test("a bucket is within its bounds") {
    val random = new RandomText("BucketIndexSuite")
    (1 to 1000).foreach { _ =>
      val n = 1 + random.int(100000)
      val bucket = BucketIndex.bucketOf(Seq(random.text(6)), n)
      assert(bucket >= 0 && bucket < n, s"seed ${random.seed}")
    }
  }
}
