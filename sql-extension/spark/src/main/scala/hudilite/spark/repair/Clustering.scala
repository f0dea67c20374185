package hudilite.spark.repair

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.types.{IntegerType, StructType}

import hudilite.format.{FileId, MetaFields}
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.{BaseFileRewriter, RewriteCommit}
import hudilite.timeline.{CommitMetadata, FileGroupRef}
import hudilite.view.FileSlice

/** Clustering of a table without buckets: the rows of a partition are spread over new file groups
  * by ranges of some columns, in one replacecommit for each partition. Within a file, they are in
  * the order of their record keys, as in every base file. Runs on the driver. No plan is written,
  * so readers see the file groups before or after it.
  * Source: Hudi's clustering; decision 0026. */
object Clustering {

  /** Partition whose file groups are replaced.
    * @param slices latest slices of these file groups, at least one
    * @param files  number of new files, 1 or more; fewer if many rows have the same values */
  final case class Plan(partition: String, slices: Seq[FileSlice], files: Int) {

    /** Estimated size in bytes of base files with the rows of the slices. */
    def bytes: Long = slices.map(_.wholeLength).sum

    /** Whether the partition has one whole base file and keeps it. */
    private[Clustering] def isDone: Boolean =
      files == 1 && slices.size == 1 && slices.head.isOnlyBase && slices.head.source.isEmpty
  }

  /** Returns how the files of a partition change; None if they stay.
    * @param slices latest slices of the partition
    * @param target size in bytes that new files should have, 1 or more */
  def plan(partition: String, slices: Seq[FileSlice], target: Long): Option[Plan] =
    Some(sized(partition, slices, target)).filterNot(of => of.slices.isEmpty || of.isDone)

  /** Returns how the small files of a partition become fewer; None if they stay. Files with at least
    * three quarters of the target size are not small, as for Iceberg's `rewrite_data_files`, nor
    * are those that a bootstrap has adopted.
    * @param slices latest slices of the partition
    * @param target size in bytes that new files should have, 1 or more */
  def ofSmallFiles(partition: String, slices: Seq[FileSlice], target: Long): Option[Plan] = {
    val small =
      slices.filter(slice => slice.source.isEmpty && slice.wholeLength < target - target / 4)
    Some(sized(partition, small, target)).filter(of => of.files < of.slices.size)
  }

  private def sized(partition: String, slices: Seq[FileSlice], target: Long): Plan = {
    val one = Plan(partition, slices, 1)
    one.copy(files = ((one.bytes - 1) / target + 1).max(1L).min(mostFiles + 1L).toInt)
  }

  /** Most new files of one call. */
  private[repair] val mostFiles = 100000

  /** Sorts the rows of a partition into new file groups, in one commit.
    * @return the new files
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_MISSING_DATA_FILE, HUDILITE_UNSUPPORTED_TABLE if the
    * rows of log files cannot be merged; those of a commit. */
  def commit(
      session: SparkSession,
      table: HudiliteTable,
      order: ClusterOrder,
      plan: Plan
  ): Seq[FileGroupResult] = {
    val ranges = session.sparkContext.broadcast(NewFileRanges.of(session, table, order, plan))
    val hidden = Map(plan.partition -> plan.slices.map(_.fileId))
    val touched = plan.slices.map(slice => FileGroupRef(slice.partition, slice.fileId))
    try
      new RewriteCommit(session, table, CommitMetadata.cluster, hidden)
        .commit(Seq(plan.partition), touched.toSet) { rewrite =>
          val slices = session.sparkContext.parallelize(plan.slices, plan.slices.size)
          val rows = ClusteredRows.read(slices, rewrite, order.schema, ranges)
          val ids = (0 until ranges.value.count).map(fileId(table, rewrite, plan.partition, _))
          val sorted = inOrder(session, rows, rewrite.columns, ids.size)
          ClusteredRows.write(sorted, rewrite, plan.partition, ids)
        }
    finally ranges.destroy()
  }

  private def fileId(table: HudiliteTable, rewrite: BaseFileRewriter, partition: String, n: Int) =
    FileId.fileGroup(table.config.uuid, partition, rewrite.pending.instant, n)

  /** Brings the rows of each file together, in the order of their record keys. */
  private def inOrder(
      session: SparkSession,
      rows: RDD[InternalRow],
      columns: StructType,
      files: Int
  ): RDD[InternalRow] = {
    val stored = CharVarcharUtils.replaceCharVarcharWithStringInSchema(columns)
    PlanFrame.of(session, rows, stored.add(ClusteredRows.file, IntegerType))
      .repartitionById(files, col(ClusteredRows.file))
      .sortWithinPartitions(ClusteredRows.file, MetaFields.RecordKey)
      .queryExecution
      .toRdd
  }
}
