package hudilite.sizing

import java.util.Locale

import hudilite.index.BucketSizes

/** Advice about the number of buckets of a table.
  * @param buckets number that gives files of the target size; None for a table without rows, and if
  *                none fits
  * @param change  what to do
  * @param reason  one or two sentences that say why */
final case class BucketAdvice(buckets: Option[Int], change: BucketAdvice.Change, reason: String)

object BucketAdvice {

  /** Change of a table or a folder that the advice recommends. */
  sealed trait Change

  /** The table stays as it is. */
  case object Keep extends Change

  /** A table with this number of buckets replaces it.
    * @param wholeKey whether it hashes all key columns, though the present table does not */
  final case class Buckets(count: Int, wholeKey: Boolean = false) extends Change

  /** A table without buckets replaces it. */
  case object NoBuckets extends Change

  /** The files of the folder stay as they are, and a table adopts them. */
  case object Adopt extends Change

  /** Layout of the files for which advice is given. */
  sealed trait Layout

  /** Table with buckets.
    * @param hashesKey whether all key columns are hashed */
  final case class Bucketed(count: Int, hashesKey: Boolean) extends Layout

  /** Table without buckets.
    * @param isKeyed whether it has key columns */
  final case class Bloom(isKeyed: Boolean) extends Layout

  /** Folder of Parquet files. */
  case object Folder extends Layout

  /** Number of files from which on it matters that there are many. */
  private val manyFiles = 100

  /** Number of partitions from which on they can be of very different sizes. */
  private val severalPartitions = 4

  /** Fraction of the files from which on the changes of commits are spread. */
  private val isSpread = 0.5

  /** Bytes of the largest bucket over those of the mean one, from which on buckets are uneven. */
  private val uneven = 2.0

  /** Returns the advice.
    * @param target recommended size of a file in bytes, 1 or more
    * @param days   days for which files shall keep it, 1 or more */
  def of(layout: Layout, sizes: TableSizes, target: Long, days: Int): BucketAdvice =
    if (sizes.bytes == 0)
      BucketAdvice(None, Keep,
        "There are no rows yet. Estimate the bytes of the largest partition, and divide them by " +
          s"${BucketSizes.shown(target)}.")
    else {
      val decision = new Decision(sizes, target, days)
      layout match {
        case table: Bucketed => decision.bucketed(table)
        case table: Bloom => decision.bloom(table)
        case Folder => decision.folder
      }
    }

  private final class Decision(sizes: TableSizes, target: Long, days: Int) {
    import BucketSizes.shown

    private val after = sizes.after(days)
    private val (largest, most) = after.maxBy { case (partition, bytes) => (bytes, partition) }
    private val least = BucketSizes.leastOf(target)
    private val fitting = BucketSizes.count(most, target)

    /** Whether more than half of the partitions have small files with a number of buckets that fits
      * the largest one. */
    private def differ(buckets: Int): Boolean =
      buckets > 1 && most / buckets >= least && after.size >= severalPartitions &&
        small(buckets) * 2 > after.size

    private def small(buckets: Int): Int = after.values.count(_ / buckets < least)

    def bucketed(table: Bucketed): BucketAdvice = {
      val now = table.count
      val isCrowded = now > 1 && most <= least && sizes.sorted.size >= manyFiles
      val best =
        if (isCrowded) 1
        else if (BucketSizes.areFit(most / now, now, target)) now
        else fitting
      val found = s"$filesHave ${shown(most / now)} on average"
      if (differ(best) && !sizes.spread.exists(_ >= isSpread))
        BucketAdvice(None, NoBuckets, s"${differing(best)} $sized")
      else {
        val hashed = hot(table)
        val change = Buckets(best, wholeKey = hashed.nonEmpty)
        val ending = hashed.fold("")(" " + _)
        if (best != now)
          BucketAdvice(Some(best), change,
            s"$found. In ${counted(best)}, they would have ${shown(most / best)}.$ending")
        else if (change.wholeKey) BucketAdvice(Some(now), change, s"$found.$ending")
        else BucketAdvice(Some(now), Keep, s"Keep ${counted(now)}. $found.")
      }
    }

    def bloom(table: Bloom): BucketAdvice = {
      def keep(reason: String) = BucketAdvice(Some(fitting), Keep, reason)
      sizes.spread match {
        case _ if !table.isKeyed => keep("Without key columns a table can have no buckets.")
        case None =>
          keep("Too few commits have changed rows to show whether keys spread over all files. " +
            s"If they do, as random keys do, take ${counted(fitting)}.")
        case Some(share) if share < isSpread =>
          keep(s"${changed(share)}: the bloom index reads few files.")
        case Some(share) if differ(fitting) =>
          keep(s"${changed(share)}. Buckets need no lookup, but files would be small. " +
            differing(fitting))
        case Some(share) =>
          BucketAdvice(Some(fitting), Buckets(fitting),
            s"${changed(share)}: take ${counted(fitting)}, where rows are found by the hash of " +
              "their keys.")
      }
    }

    def folder: BucketAdvice = {
      val middle = sizes.median.getOrElse(0L)
      val isLarge = middle > BucketSizes.mostOf(target)
      val isSmall = middle < least && sizes.sorted.size > sizes.files.size
      val found = s"The median file has ${shown(middle)}"
      val rewritten = s"$found, which is ${if (isLarge) "large" else "small"}: rewrite the rows"
      if (!isLarge && !isSmall)
        BucketAdvice(
          Some(fitting),
          Adopt,
          s"$found, so the files can stay as they are: a bootstrap adopts them, with a bloom " +
            s"index. If rows with random keys change often, rewrite them into ${counted(fitting)}."
        )
      else if (differ(fitting))
        BucketAdvice(None, NoBuckets, s"$rewritten. ${differing(fitting)} $sized")
      else
        BucketAdvice(Some(fitting), Buckets(fitting),
          s"$rewritten into ${counted(fitting)}. Adoption would keep the files as they are.")
    }

    private def changed(share: Double): String =
      s"Commits change rows in ${(share * 100).round} % of the files of their partitions"

    private def sized: String = "Without buckets, files are sized by the bytes of each partition."

    private def differing(buckets: Int): String = {
      val when = if (sizes.growth.isEmpty) "" else s" in $days days"
      s"With ${counted(buckets)}, ${small(buckets)} of ${after.size} partitions would have files " +
        s"below ${shown(least)}$when."
    }

    private def counted(buckets: Int): String =
      if (buckets == 1) "1 bucket" else s"$buckets buckets"

    private def filesHave: String = {
      val files =
        if (largest.isEmpty) "files" else s"the files of the largest partition, '$largest',"
      if (sizes.growth.isEmpty) s"${files.capitalize} have" else s"In $days days, $files will have"
    }

    /** Returns a sentence about a bucket that is far larger than the others, because not all key
      * columns are hashed. */
    private def hot(table: Bucketed): Option[String] = sizes.skew(table.count)
      .filter(_ >= uneven && sizes.sorted.last > BucketSizes.mostOf(target) && !table.hashesKey)
      .map { skew =>
        val times = "%.1f".formatLocal(Locale.ROOT, skew)
        s"The largest bucket has $times times the bytes of the mean one: hash all key columns."
      }
  }
}
