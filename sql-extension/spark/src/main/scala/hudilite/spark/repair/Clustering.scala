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

/** Clustering of a table without buckets: the rows of a partition are spread over new file groups by
  * ranges of some columns, in one replacecommit. Within a file, they are in the order of their record
  * keys, as in every base file. Runs on the driver. No plan is written, so readers see the file
  * groups before or after it.
  * Source: Hudi's clustering; decision 0026. */
object Clustering {

  /** Partition whose file groups are replaced.
    * @param slices latest slices, at least one
    * @param files  number of new files, 1 or more; fewer if many rows have the same values */
  final case class Plan(partition: String, slices: Seq[FileSlice], files: Int) {

    /** Estimated size in bytes of base files with the rows of the slices. */
    def bytes: Long = slices.map(_.wholeLength).sum

    /** Whether the partition has one whole base file and keeps it. */
    private[Clustering] def isDone: Boolean =
      files == 1 && slices.size == 1 && slices.head.isOnlyBase && slices.head.source.isEmpty
  }

  /** Returns the partitions whose files change.
    * @param columns partition columns of the table
    * @param wanted  partitions to choose from, by the values of `columns`
    * @param target  size in bytes that new files should have, 1 or more */
  def plans(
      table: HudiliteTable,
      columns: StructType,
      wanted: InternalRow => Boolean,
      target: Long
  ): Seq[Plan] =
    SlicesOf.partitions(table, columns, wanted).groupBy(_.partition).toSeq.sortBy(_._1)
      .map { case (partition, slices) =>
        val plan = Plan(partition, slices, 1)
        plan.copy(files = ((plan.bytes - 1) / target + 1).max(1L).min(mostFiles + 1L).toInt)
      }
      .filterNot(_.isDone)

  /** Most new files of one call. */
  val mostFiles = 100000

  /** Sorts the rows of partitions into new file groups, in one commit; makes none for an empty list.
    * @return the new files of each partition, in the order of `plans`
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_MISSING_DATA_FILE, HUDILITE_UNSUPPORTED_TABLE if the
    * rows of log files cannot be merged; those of a commit. */
  def commit(
      session: SparkSession,
      table: HudiliteTable,
      order: ClusterOrder,
      plans: Seq[Plan]
  ): Seq[Seq[FileGroupResult]] =
    if (plans.isEmpty) Nil
    else {
      val ranges = NewFileRanges.of(session, table, order, plans).toIndexedSeq
      val slices = plans.zipWithIndex.flatMap { case (plan, n) => plan.slices.map(_ -> n) }
      val hidden = plans.map(plan => plan.partition -> plan.slices.map(_.fileId)).toMap
      val touched = slices.map { case (slice, _) => FileGroupRef(slice.partition, slice.fileId) }
      val done = new RewriteCommit(session, table, CommitMetadata.cluster, hidden)
        .commit(plans.map(_.partition), touched.toSet) { rewrite =>
          val rows = ClusteredRows.read(
            session.sparkContext.parallelize(slices, slices.size),
            rewrite,
            order.schema,
            session.sparkContext.broadcast(ranges)
          )
          val places = plans.zip(ranges).flatMap { case (plan, of) =>
            (0 until of.count).map(n => plan.partition -> fileId(table, rewrite, plan.partition, n))
          }
          val sorted = inOrder(session, rows, rewrite.columns, places.size)
          ClusteredRows.write(sorted, rewrite, places.toIndexedSeq)
        }
      val byPartition = done.groupBy(_.partition)
      plans.map(plan => byPartition.getOrElse(plan.partition, Nil))
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
