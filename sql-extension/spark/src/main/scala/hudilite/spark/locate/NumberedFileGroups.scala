package hudilite.spark.locate

import java.util.concurrent.ConcurrentHashMap

import hudilite.view.{FileSlice, TableSnapshot}

/** File groups of a table without buckets, numbered within each partition for one statement (driver
  * side). Existing ones come first, in the order of their file ids, then new ones.
  *
  * A pure function of the snapshot, whose values are kept: each partition is listed once.
  *
  * @param replaces whether the old files are hidden, so that all file groups are new */
final class NumberedFileGroups(snapshot: => TableSnapshot, replaces: Boolean) {
  private val listed = new ConcurrentHashMap[String, IndexedSeq[FileSlice]]
  private val numbers = new ConcurrentHashMap[String, Map[String, Int]]

  /** Whether no partition has a file group before the statement. */
  def areNew: Boolean = replaces || snapshot.lastInstant.isEmpty

  /** Returns the file groups of a partition; the number of each is its index. */
  def of(partition: String): IndexedSeq[FileSlice] = listed.computeIfAbsent(
    partition,
    path => if (replaces) Vector.empty else snapshot.slices(path).toVector
  )

  /** Returns the number of a slice's file group. */
  def numberOf(slice: FileSlice): Int =
    numbers.computeIfAbsent(slice.partition, of(_).map(_.fileId).zipWithIndex.toMap)(slice.fileId)
}
