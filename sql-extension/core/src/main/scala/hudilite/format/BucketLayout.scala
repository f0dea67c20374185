package hudilite.format

import scala.collection.immutable.BitSet

/** Buckets of one partition that have a file group, while the table may have two counts.
  *
  * No two of them overlap, so each key is in one of them or in none, and each number occurs once. A new
  * file group gets the count of the others. If they have both, or there are none, it gets the next one,
  * or else the one with which it overlaps no other.
  * @param counts  those of the table
  * @param buckets buckets with a file group, each of one of the counts */
final class BucketLayout(counts: BucketCounts, buckets: Iterable[Bucket]) {
  import counts.{coarse, fine}

  private val (ofCoarse, ofFine) = {
    val (some, others) = buckets.partition(_.count == coarse)
    (BitSet.fromSpecific(some.map(_.number)), BitSet.fromSpecific(others.map(_.number)))
  }
  private val divided = ofFine.map(_ % coarse)
  private val addsFine =
    if (ofCoarse.isEmpty == ofFine.isEmpty) counts.next == fine else ofCoarse.isEmpty

  /** Returns the number of the bucket that has the keys with a hash. If none has a file group for
    * them, it is the number that a new file group gets, see [[added]].
    * @param hash modulo [[BucketCounts.fine]] */
  def numberOf(hash: Int): Int = if (isDivided(hash % coarse)) hash else hash % coarse

  /** Returns the bucket that a new file group gets which overlaps none of the partition.
    * @param number as [[numberOf]] gives it */
  def added(number: Int): Bucket =
    Bucket(number, if (isDivided(number % coarse)) fine else coarse)

  /** Returns the numbers of the buckets with a file group that overlap a bucket of the lower count. */
  def overlapping(number: Int): Seq[Int] =
    if (ofCoarse(number)) Seq(number)
    else counts.overlapping(number).filter(ofFine)

  /** Whether the keys of a bucket of the lower count are in buckets of the higher one, or get there. */
  private def isDivided(number: Int): Boolean =
    !ofCoarse(number) && (addsFine || divided(number))
}

object BucketLayout {

  /** Returns the buckets whose keys are in several file groups, each with all of these. There are
    * none if each key has one file group at most. Of buckets that overlap, the one of the lowest
    * count stands for all.
    * @param all file groups of a partition with their buckets */
  def clashes[A](all: Seq[(Bucket, A)]): Seq[(Bucket, Seq[A])] = {
    val coarse = all.map(_._1.count).distinct.reduceOption(gcd).getOrElse(1)
    val several = all.groupBy(_._1.number % coarse).filter(_._2.sizeIs > 1)
    several.toSeq.sortBy(_._1).flatMap { case (_, near) =>
      near.map(_._1).distinct.sortBy(bucket => (bucket.count, bucket.number))
        .map(bucket => bucket -> near.filter(_._1.overlaps(bucket)))
        .filter(_._2.size > 1)
        .foldLeft(Vector.empty[(Bucket, Seq[(Bucket, A)])]) { (found, clash) =>
          if (found.exists(_._1.overlaps(clash._1))) found else found :+ clash
        }
        .map { case (bucket, groups) => bucket -> groups.map(_._2) }
    }
  }

  private def gcd(a: Int, b: Int): Int = BigInt(a).gcd(b).toInt
}
