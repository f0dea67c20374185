package hudilite.sizing

import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.IndexKind
import hudilite.index.BucketSizes
import hudilite.sizing.BucketAdvice.{Adopt, Bloom, Bucketed, Buckets, Folder, Keep, NoBuckets}

class BucketAdviceSuite extends AnyFunSuite {
  private val days = 90
  private val keyed = Bloom(isKeyed = true)

  private def mb(size: Long): Long = size << 20
  private def bucketed(count: Int) = Bucketed(count, hashesKey = true)

  private def table(partitions: (String, Seq[Long])*): TableSizes =
    TableSizes(partitions.toMap.map { case (partition, files) => partition -> files.map(mb) })

  private def one(files: Int, size: Long): TableSizes = table("" -> Seq.fill(files)(size))

  private def several(partitions: Int, files: Int, size: Long): Seq[(String, Seq[Long])] =
    Seq.tabulate(partitions)(p => s"p=$p" -> Seq.fill(files)(size))

  /** A table whose only partition grows by these MB a day. */
  private def growing(sizes: TableSizes, perDay: Long): TableSizes =
    sizes.copy(growth = Some(TableGrowth(10, Map("" -> mb(perDay * 10)), 0)))

  private def spread(sizes: TableSizes, share: Double) = sizes.copy(spread = Some(share))

  private val unequal =
    table(several(9, 10, 1) :+ ("p=large" -> Seq.fill(10)(120L)): _*)

  private type Case = (String, BucketAdvice.Layout, TableSizes, Option[Int], BucketAdvice.Change)

  private val cases = Seq[Case](
    ("files of the target size", bucketed(4), one(4, 120), Some(4), Keep),
    ("files that are a little small or large", bucketed(4), one(4, 240), Some(4), Keep),
    ("large files", bucketed(4), one(4, 300), Some(10), Buckets(10)),
    ("small files", bucketed(64), one(64, 2), Some(2), Buckets(2)),
    ("few bytes in all", bucketed(8), one(8, 1), Some(8), Keep),
    ("empty buckets", bucketed(64), one(2, 64), Some(2), Buckets(2)),
    ("many small partitions", bucketed(8), table(several(20, 8, 1): _*), Some(1), Buckets(1)),
    ("some small partitions", bucketed(8), table(several(12, 8, 1): _*), Some(8), Keep),
    ("one bucket of small partitions", bucketed(1), table(several(200, 1, 1): _*), Some(1), Keep),
    ("files that will be large", bucketed(4), growing(one(4, 120), 10), Some(12), Buckets(12)),
    ("files that will fit", bucketed(64), growing(one(64, 2), 60), Some(64), Keep),
    ("files that shrink to nothing", bucketed(4), growing(one(4, 120), -10), Some(4), Keep),
    ("the largest partition decides", bucketed(2),
      table("p=a" -> Seq(1, 1), "p=b" -> Seq(300, 300)),
      Some(5), Buckets(5)),
    ("partitions of other sizes", bucketed(10), unequal, None, NoBuckets),
    ("partitions of other sizes, too many buckets", bucketed(100),
      table(several(9, 100, 1) :+ ("p=large" -> Seq.fill(100)(12L)): _*), None, NoBuckets),
    ("partitions of other sizes, changes in many files", bucketed(10), spread(unequal, 0.9),
      Some(10),
      Keep),
    ("partitions of other sizes, changes in few files", bucketed(10), spread(unequal, 0.1),
      None,
      NoBuckets),
    ("few partitions of other sizes", bucketed(10),
      table(several(2, 10, 1) :+ ("p=large" -> Seq.fill(10)(120L)): _*), Some(10), Keep),
    ("half of the partitions are small", bucketed(2),
      table(several(2, 2, 1) ++ Seq("p=x" -> Seq(120L, 120L), "p=y" -> Seq(120L, 120L)): _*),
      Some(2), Keep),
    ("no key", Bloom(isKeyed = false), spread(one(10, 120), 1), Some(10), Keep),
    ("no changes seen", keyed, one(10, 120), Some(10), Keep),
    ("changes in few files", keyed, spread(one(10, 120), 0.49), Some(10), Keep),
    ("changes in many files", keyed, spread(one(10, 120), 0.5), Some(10), Buckets(10)),
    ("changes in many files, and growth", keyed, spread(growing(one(10, 120), 40), 0.9), Some(40),
      Buckets(40)),
    ("changes in many files of unequal partitions", keyed, spread(unequal, 0.9), Some(10), Keep),
    ("a folder of good files", Folder, one(12, 100), Some(10), Adopt),
    ("a folder of small files", Folder, one(240, 1), Some(2), Buckets(2)),
    ("a folder of large files", Folder, one(2, 1024), Some(18), Buckets(18)),
    ("a folder with a small file in each partition", Folder, table(several(5, 1, 1): _*), Some(1),
      Adopt),
    ("a folder of small files in unequal partitions", Folder,
      table(several(9, 10, 1) :+ ("p=large" -> Seq.fill(200)(2L)): _*), None, NoBuckets),
    ("no rows", bucketed(4), table(), None, Keep),
    ("no rows, without buckets", keyed, table(), None, Keep)
  )

  cases.foreach { case (name, layout, sizes, buckets, change) =>
    test(name) {
      val found = BucketAdvice.of(layout, sizes, BucketSizes.wished, days)
      assert((found.buckets, found.change) == ((buckets, change)), found.reason)
      assert(found.reason.endsWith(".") && !found.reason.contains("\n"))
    }
  }

  test("the number of days and the target size count") {
    val sizes = growing(one(4, 120), 10)
    assert(BucketAdvice.of(bucketed(4), sizes, BucketSizes.wished, 1).change == Keep)
    val ever = BucketAdvice.of(bucketed(4), sizes, BucketSizes.wished, Int.MaxValue)
    assert(ever.buckets.contains(IndexKind.maxBuckets))
    assert(BucketAdvice.of(bucketed(4), one(4, 120), mb(40), days).change == Buckets(12))
    assert(
      BucketAdvice.of(bucketed(4), one(4, 120), 1, days).buckets.contains(IndexKind.maxBuckets)
    )
    assert(BucketAdvice.of(bucketed(4), one(4, 120), Long.MaxValue, days).change == Keep)
  }

  test("a bucket that is far larger than the others is named unless the whole key is hashed") {
    val sizes = table("" -> Seq(900, 20, 20, 20)).copy(largest = Some(mb(900)))
    def advice(hashesKey: Boolean, of: TableSizes = sizes) =
      BucketAdvice.of(Bucketed(4, hashesKey), of, BucketSizes.wished, days)
    def reason(hashesKey: Boolean, of: TableSizes = sizes) = advice(hashesKey, of).reason
    assert(sizes.skew(4).contains(3.75))
    val end = "The largest bucket has 3.8 times the bytes of the mean one: hash all key columns."
    assert(reason(hashesKey = false).endsWith(end))
    assert(advice(hashesKey = false).buckets.contains(4))
    assert(advice(hashesKey = false).change == Buckets(4, wholeKey = true))
    assert(reason(hashesKey = false).startsWith("Files have 240 MB on average. The largest"))
    assert(!reason(hashesKey = true).contains("hash"))
    assert(advice(hashesKey = true).change == Keep)
    val large = table("" -> Seq(1200, 20, 20, 20)).copy(largest = Some(mb(1200)))
    assert(advice(hashesKey = false, large).change == Buckets(11, wholeKey = true))
    assert(advice(hashesKey = true, large).change == Buckets(11))
    val even = sizes.copy(largest = Some(mb(300)))
    assert(!reason(hashesKey = false, even).contains("hash"))
  }

  test("the reason names the partition, the days and the sizes") {
    val partition = table("p=a" -> Seq(500, 500))
    val now = BucketAdvice.of(bucketed(2), partition, BucketSizes.wished, days).reason
    assert(now == "The files of the largest partition, 'p=a', have 500 MB on average. " +
      "In 9 buckets, they would have 111 MB.")
    val later =
      BucketAdvice.of(bucketed(4), growing(one(4, 120), 10), BucketSizes.wished, 30).reason
    assert(later == "Keep 4 buckets. In 30 days, files will have 195 MB on average.")
  }

  test("sizes are shown from the least to the largest, and the smaller one of two in the middle") {
    val sizes = TableSizes(Map("p=a" -> Seq(5L, 1L), "p=b" -> Seq(4L, 2L)))
    assert(sizes.sorted == Seq(1L, 2L, 4L, 5L) && sizes.median.contains(2L) && sizes.bytes == 12)
    assert(table().median.isEmpty && table().skew(4).isEmpty)
  }
}
