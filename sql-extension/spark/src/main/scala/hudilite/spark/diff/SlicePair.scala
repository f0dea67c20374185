package hudilite.spark.diff

import hudilite.format.FileId
import hudilite.view.FileSlice

/** File slices of one bucket of a partition in the two states; a state may have none. */
private[diff] final case class SlicePair(
    partition: String,
    before: Option[FileSlice],
    after: Option[FileSlice]
) {

  /** Size in bytes of the files to read. */
  def length: Long = (before ++ after).map(_.dataLength).sum
}

private[diff] object SlicePair {

  /** Returns the slices of two states of one table without those that are the same base file in both:
    * these have the same rows. Of slices with log files, blocks may count in only one of the states. */
  def changed(
      before: Seq[FileSlice],
      after: Seq[FileSlice]
  ): (Seq[FileSlice], Seq[FileSlice]) = {
    val same = before.filter(_.isOnlyBase).toSet.intersect(after.toSet)
    (before.filterNot(same), after.filterNot(same))
  }

  /** Pairs the slices of tables that put a key into the bucket of the same number, the largest first.
    * @return None if the name of a file contains no bucket, if a bucket has several file groups, or if
    *         the numbers of buckets differ */
  def byBucket(before: Seq[FileSlice], after: Seq[FileSlice]): Option[Seq[SlicePair]] = {
    val (one, other) = (placed(before), placed(after))
    val (olds, news) = (one.toMap, other.toMap)
    val arePlaced = (one ++ other).forall(_._1._2.nonEmpty) &&
      (before ++ after).flatMap(_.bucket).map(_.count).distinct.sizeIs <= 1
    Option.when(arePlaced && olds.size == one.size && news.size == other.size) {
      (olds.keySet ++ news.keySet).toSeq
        .map(place => SlicePair(place._1, olds.get(place), news.get(place)))
        .sortBy(pair => (-pair.length, pair.partition))
    }
  }

  private def placed(slices: Seq[FileSlice]): Seq[((String, Option[Int]), FileSlice)] =
    slices.map(slice => (slice.partition, FileId.bucketOf(slice.fileId)) -> slice)
}
