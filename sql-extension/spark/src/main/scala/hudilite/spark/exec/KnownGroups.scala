package hudilite.spark.exec

import scala.collection.mutable

import hudilite.view.{FileSlice, TableSnapshot}

/** File groups of a table without buckets, numbered in each partition for the length of a statement:
  * those that are there in the order of their ids, then new ones (driver side).
  *
  * @param replaces whether the old files are hidden, so that all groups are new */
final class KnownGroups(snapshot: => TableSnapshot, replaces: Boolean) {
  private val listed = mutable.Map.empty[String, IndexedSeq[FileSlice]]
  private val numbers = mutable.Map.empty[String, Map[String, Int]]

  /** Groups of a partition, which is listed once. */
  def of(partition: String): IndexedSeq[FileSlice] = listed.getOrElseUpdate(
    partition,
    if (replaces) Vector.empty else snapshot.slices(partition).toVector
  )

  /** Number of the group of one of them. */
  def numberOf(slice: FileSlice): Int =
    numbers.getOrElseUpdate(slice.partition, of(slice.partition).map(_.fileId).zipWithIndex.toMap)(
      slice.fileId
    )

  /** Those of the partitions that were asked for so far. */
  def all: Map[String, IndexedSeq[FileSlice]] = listed.toMap
}
