package hudilite.spark.meta

import scala.collection.mutable

import hudilite.format.FileId
import hudilite.spark.catalog.HudiliteTable
import hudilite.timeline.WriteStat
import hudilite.view.FileSlice

/** The base files of a table's state, with what their commits say of them.
  * @param partition the one partition to list, all where it is None */
final class FileList(val table: HudiliteTable, partition: Option[String] = None) {
  private val commits = mutable.Map.empty[String, Map[String, WriteStat]]

  /** Latest slice of each file group, by partition and file group. */
  lazy val slices: Seq[FileSlice] =
    partition.fold(table.snapshot.partitions())(Seq(_)).flatMap(table.snapshot.slices)

  /** Rows of a file; nothing where an archived commit wrote it. */
  def rows(slice: FileSlice): Option[Long] = commits
    .getOrElseUpdate(
      slice.instant,
      table.snapshot.metadata(slice.instant).toSeq.flatMap(_.stats).map(s => s.path -> s).toMap
    )
    .get(slice.place)
    .map(_.numWrites)

  /** Number of the bucket that a file group is, in a table with buckets. */
  def bucket(slice: FileSlice): Option[Int] =
    if (table.config.hasBuckets) FileId.bucketOf(slice.fileId) else None
}
