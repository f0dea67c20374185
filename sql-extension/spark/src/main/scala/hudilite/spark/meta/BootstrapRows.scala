package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{BooleanType, LongType, StringType, StructType}

import hudilite.spark.catalog.HudiliteTable
import hudilite.view.{BootstrapIndex, BootstrapPartition}

/** Rows of the metadata table `t.bootstrap`: the bootstrap source file of each adopted file group.
  * Source: hudi-format §8.4. */
object BootstrapRows {

  /** Column names and order of stock Hudi's procedure; hudilite's additional columns come last.
    * `current` is false if the skeleton no longer belongs to the table's snapshot. */
  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("source_base_path", StringType, nullable = false)
    .add("source_partition", StringType, nullable = false)
    .add("source_file", StringType, nullable = false)
    .add("source_bytes", LongType, nullable = false)
    .add("current", BooleanType, nullable = false)

  /** Returns one row for each adopted file group, ordered by partition and file id.
    * @param partition partition path to show; None: all
    * @param limit     most rows to return
    * Errors: HUDILITE_MISSING_FILE, HUDILITE_CORRUPT_TIMELINE for a lost or damaged index. */
  def of(
      table: HudiliteTable,
      partition: Option[String] = None,
      limit: Int = Int.MaxValue
  ): Seq[InternalRow] = {
    val (base, all) = mapping(table)
    val shown = all
      .filter(of => partition.forall(_ == of.partition))
      .sortBy(_.partition)
      .flatMap(of => of.files.toSeq.sortBy(_._1).map(of -> _))
      .take(limit)
    val skeletons = shown.map(_._1.partition).distinct.flatMap { partition =>
      val groups = table.snapshot.groups(partition).filter(BootstrapIndex.isSkeleton)
      groups.map(group => partition -> group.fileId)
    }.toSet
    shown.map { case (of, (fileId, source)) =>
      MetadataRows.row(
        of.partition,
        fileId,
        base,
        of.sourcePartition,
        source.path.toString,
        source.length,
        skeletons(of.partition -> fileId)
      )
    }
  }

  private def mapping(table: HudiliteTable): (String, Seq[BootstrapPartition]) =
    if (!table.config.isBootstrapped || adoptedNothing(table)) ("", Nil)
    else {
      val (base, partitions) = BootstrapIndex.mapping(table.timeline)
      (base.toString, partitions)
    }

  /** Whether the bootstrap rewrote all rows: it then wrote no index, and no skeleton exists. */
  private def adoptedNothing(table: HudiliteTable): Boolean =
    !BootstrapIndex.exists(table.timeline) &&
      !table.snapshot.partitions().exists(
        table.snapshot.groups(_).exists(BootstrapIndex.isSkeleton)
      )
}
