package hudilite.spark.merge

import org.apache.hadoop.fs.Path

import hudilite.format.FileId
import hudilite.io.Storage
import hudilite.view.{FileSlice, InstantRecords}

/** Base files of the snapshot by partition and number: that of the bucket, or that of the file
  * group in a table without buckets (task side). */
final class FileGroupSlices(facts: MergeTaskFacts, storage: Storage) {
  private val base = new Path(facts.write.basePath)
  private val table = facts.shared.value
  private val view = table.view
  private val numbered = table.fileGroups

  /** Returns the slice of a file group, if it has one.
    *
    * @throws hudilite.error.HudiliteException HUDILITE_DUPLICATE_BUCKET_FILE if the bucket has two
    *         file groups
    */
  def slice(partition: String, number: Int): Option[FileSlice] =
    if (facts.replaces) None
    else
      numbered.fold(table.byBucket(partition)(byBucket).get(number)) { known =>
        known.get(partition).flatMap(_.lift(number))
      }

  /** Returns the number of slices of a partition. */
  def count(partition: String): Int =
    if (facts.replaces) 0
    else
      numbered.fold(table.byBucket(partition)(byBucket).size) { known =>
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
          val epoch = if (facts.replaces) facts.write.instant else view.epoch(partition, number)
          FileId.bucket(facts.tableUuid, partition, number, epoch)
      }
    }

  private def byBucket(partition: String): Map[Int, FileSlice] = {
    val entries = if (view.isEmpty) Nil else storage.list(Storage.resolve(base, partition))
    val slices = view.latest(entries, partition, recorded)
    view.checkBuckets(partition, slices)
    slices.flatMap(slice => FileId.bucketOf(slice.fileId).map(_ -> slice)).toMap
  }

  private lazy val recorded: InstantRecords = {
    val timeline = facts.write.timeline(storage)
    InstantRecords.of(timeline) { instant =>
      timeline.completedWrite(instant).map(timeline.commit(_).stats.map(_.fileName).toSet)
    }
  }
}
