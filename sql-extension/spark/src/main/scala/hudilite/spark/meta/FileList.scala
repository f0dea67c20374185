package hudilite.spark.meta

import scala.collection.mutable

import hudilite.format.BaseFileName
import hudilite.spark.catalog.HudiliteTable
import hudilite.timeline.WriteStat
import hudilite.view.{FileSlice, SliceBase}

/** File slices of a table's snapshot, with the row counts that their commits record (driver side).
  * @param partition partition path to list; None: all */
final class FileList(val table: HudiliteTable, partition: Option[String] = None) {
  private val commits = mutable.Map.empty[String, Map[String, WriteStat]]

  /** Latest slice of each file group, ordered by partition and file id. */
  lazy val slices: Seq[FileSlice] =
    table.snapshot.slicesOf(partition.fold(table.snapshot.partitions())(Seq(_)))

  /** Returns the number of rows of a slice; None if it has log files or an archived commit wrote it. */
  def rows(slice: FileSlice): Option[Long] =
    if (slice.isOnlyBase) baseRows(slice, slice.onlyBase) else None

  /** Returns the number of rows of a base file; None if an archived commit wrote it. */
  def baseRows(slice: FileSlice, base: SliceBase.Stored): Option[Long] = commits
    .getOrElseUpdate(
      slice.instant,
      table.snapshot.metadata(slice.instant).toSeq.flatMap(_.stats).map(s => s.path -> s).toMap
    )
    .get(BaseFileName.place(slice.partition, base.path.getName))
    .map(_.numWrites)

  /** Returns the bucket number of a file group; None in a table without buckets. */
  def bucket(slice: FileSlice): Option[Int] = slice.bucket.map(_.number)
}
