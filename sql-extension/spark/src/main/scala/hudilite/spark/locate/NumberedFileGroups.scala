package hudilite.spark.locate

import scala.collection.mutable

import hudilite.view.{FileSlice, TableSnapshot}

/** File groups of a table without buckets, numbered within each partition for one statement (driver
  * side). Existing ones come first, in the order of their file ids, then new ones.
  *
  * @param replaces whether the old files are hidden, so that all file groups are new */
final class NumberedFileGroups(snapshot: => TableSnapshot, replaces: Boolean) {
  private val listed = mutable.Map.empty[String, IndexedSeq[FileSlice]]
  private val numbers = mutable.Map.empty[String, Map[String, Int]]

  /** Returns the file groups of a partition. Each partition is listed once. */
  def of(partition: String): IndexedSeq[FileSlice] = listed.getOrElseUpdate(
    partition,
    if (replaces) Vector.empty else snapshot.slices(partition).toVector
  )

  /** Returns the number of a slice's file group. */
  def numberOf(slice: FileSlice): Int =
    numbers.getOrElseUpdate(slice.partition, of(slice.partition).map(_.fileId).zipWithIndex.toMap)(
      slice.fileId
    )

  /** Returns the file groups of the partitions that were requested so far. */
  def all: Map[String, IndexedSeq[FileSlice]] = listed.toMap
}
