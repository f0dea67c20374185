package hudilite.spark.merge

import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.FileId
import hudilite.view.FileSlice

/** Base files of the snapshot by partition and number: that of the bucket, or that of the file
  * group in a table without buckets (task side). */
final class FileGroupSlices(facts: MergeTaskFacts) {
  private val table = facts.shared.value
  private val numbered = table.fileGroups
  private lazy val buckets = new TableBuckets(facts.shared, facts.replaces)

  /** Returns the slice of a file group, if it has one.
    *
    * @throws hudilite.error.HudiliteException HUDILITE_DUPLICATE_BUCKET_FILE if the bucket has two
    *         file groups
    */
  def slice(partition: String, number: Int): Option[FileSlice] =
    if (facts.replaces) None
    else
      numbered.fold(buckets.of(partition).slices.get(number)) { known =>
        known.get(partition).flatMap(_.lift(number))
      }

  /** Returns the number of slices of a partition. */
  def count(partition: String): Int =
    if (facts.replaces) 0
    else
      numbered.fold(buckets.of(partition).slices.size) { known =>
        known.get(partition).fold(0)(_.size)
      }

  /** Returns the file id of a file group: that of its slice, or the one that every first writer of
    * a bucket derives. Without buckets, each instant derives separate ids for its new file
    * groups. */
  def fileId(partition: String, number: Int): String =
    slice(partition, number).map(_.fileId).getOrElse {
      numbered match {
        case Some(known) =>
          val ordinal = number - known.get(partition).fold(0)(_.size)
          FileId.fileGroup(facts.tableUuid, partition, facts.write.instant, ordinal)
        case None =>
          val epoch =
            if (facts.replaces) facts.write.instant else table.view.epoch(partition, number)
          val bucket = buckets.of(partition).layout.added(number)
          buckets.counts.fileId(facts.tableUuid, partition, bucket, epoch)
      }
    }

  /** Returns the numbers of a partition's buckets that have a file group and may have keys of a tag
    * that spans partitions.
    * @param tagged bucket number of the tag */
  def below(partition: String, tagged: Int): Seq[Int] =
    if (areMixed) buckets.of(partition).layout.overlapping(tagged) else Seq(tagged)

  /** Returns the number of the bucket in which a partition has a key, or gets it.
    * @param tagged bucket number of a tag that spans partitions, which contains the key */
  def numberOf(partition: UTF8String, tagged: Int, key: UTF8String): Int =
    if (areMixed) buckets.of(partition.toString).layout.numberOf(buckets.hash(key)) else tagged

  /** Whether the table has buckets of two counts. */
  lazy val areMixed: Boolean = numbered.isEmpty && buckets.counts.areMixed
}
