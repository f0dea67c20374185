package hudilite.format

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Buckets of a partition while the table has two counts. */
class BucketLayoutSuite extends AnyFunSuite {
  private val counts = for {
    (own, other) <- Seq((4, 8), (8, 4), (2, 8), (6, 2), (5, 5), (1, 3))
    takesOther <- Seq(false, true)
  } yield BucketCounts(own, other, takesOther)

  /** Returns buckets of which none overlaps another one. */
  private def some(of: BucketCounts, random: Random): Seq[Bucket] =
    (0 until of.coarse).flatMap { number =>
      random.nextInt(3) match {
        case 0 => Nil
        case 1 => Seq(Bucket(number, of.coarse))
        case _ if !of.areMixed => Nil
        case _ => of.overlapping(number).filter(_ => random.nextBoolean()).map(Bucket(_, of.fine))
      }
    }

  private def each(test: (BucketCounts, Seq[Bucket], BucketLayout) => Unit): Unit = {
    val random = new Random(1)
    for (of <- counts; _ <- 1 to 50) {
      val buckets = some(of, random)
      test(of, buckets, new BucketLayout(of, buckets))
    }
  }

  test("a count can become a multiple or a divisor, but not while there are two") {
    assert(Seq(1, 2, 3, 6, 12, 60).forall(BucketCounts.of(6).canBecome))
    assert(!Seq(4, 5, 9).exists(BucketCounts.of(6).canBecome))
    assert(!Seq(3, 6, 12).exists(BucketCounts(6, 12, takesOther = true).canBecome))
  }

  test("a key goes to the bucket that has it") {
    each { (of, buckets, layout) =>
      for (hash <- 0 until of.fine; bucket <- buckets.find(_.has(hash)))
        assert(layout.numberOf(hash) == bucket.number, s"$of $buckets $hash")
    }
  }

  test("a new file group has the key, and keys of no other file group") {
    each { (of, buckets, layout) =>
      val free = (0 until of.fine).filterNot(hash => buckets.exists(_.has(hash)))
      val added = free.map(hash => hash -> layout.added(layout.numberOf(hash)))
      added.foreach { case (hash, bucket) => assert(bucket.has(hash), s"$of $buckets $hash") }
      val all = buckets ++ added.map(_._2).distinct
      assert(BucketLayout.clashes(all.map(bucket => bucket -> bucket)).isEmpty, s"$of $all")
      assert(all.map(_.number).distinct.size == all.size, s"$of $all")
    }
  }

  test("an empty partition gets buckets of the next count") {
    counts.foreach { of =>
      val layout = new BucketLayout(of, Nil)
      val made = (0 until of.fine).map(hash => layout.added(layout.numberOf(hash))).distinct
      assert(made == (0 until of.next).map(Bucket(_, of.next)))
    }
  }

  test("the buckets below one of the lower count are those with its keys") {
    each { (of, buckets, layout) =>
      (0 until of.coarse).foreach { number =>
        val whole = Bucket(number, of.coarse)
        assert(layout.overlapping(number) == buckets.filter(_.overlaps(whole)).map(_.number).sorted)
      }
    }
  }

  test("the bucket of a file id is one of the count that it tells, or of the table's own") {
    val of = BucketCounts(4, 8, takesOther = true)
    Seq(Bucket(3, 4), Bucket(3, 8), Bucket(7, 8)).foreach { bucket =>
      assert(of.bucketOf(of.fileId("u", "p", bucket, "")).contains(bucket))
    }
    assert(of.fileId("u", "p", Bucket(3, 4), "e") == FileId.bucket("u", "p", 3, "e"))
    assert(of.bucketOf("2b394e88-92e9-4aa4-aaaa-2aa42bf62b9c-0").isEmpty)
  }

  test("buckets that share keys are found, each group of them once") {
    def clashes(buckets: Bucket*) = BucketLayout.clashes(buckets.zipWithIndex)
    assert(clashes(Bucket(1, 4), Bucket(2, 8), Bucket(6, 8), Bucket(0, 4)).isEmpty)
    assert(clashes(Bucket(1, 4), Bucket(1, 4)) == Seq(Bucket(1, 4) -> Seq(0, 1)))
    assert(clashes(Bucket(5, 8), Bucket(2, 4), Bucket(1, 4), Bucket(1, 8)) ==
      Seq(Bucket(1, 4) -> Seq(0, 2, 3)))
    assert(clashes(Bucket(3, 8), Bucket(3, 8), Bucket(7, 8)) == Seq(Bucket(3, 8) -> Seq(0, 1)))
  }
}
