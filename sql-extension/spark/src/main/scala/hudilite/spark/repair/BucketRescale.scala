package hudilite.spark.repair

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.format.BucketCounts
import hudilite.index.RescaleStep
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.{BaseFileRewriter, RewriteCommit}
import hudilite.timeline.{CommitMetadata, FileGroupRef}

/** Steps of a rescale, each of which is one replacecommit. Runs on the driver, with one task for each
  * step. Rows keep their meta columns, except `_hoodie_file_name`.
  * Source: decision 0027. */
object BucketRescale {

  /** Returns the steps that are left.
    * @param columns partition columns of the table
    * @param wanted  partitions to choose from, by the values of `columns`
    * @param count   number of buckets that they get */
  def steps(
      table: HudiliteTable,
      columns: StructType,
      wanted: InternalRow => Boolean,
      count: Int
  ): Seq[RescaleStep] =
    SlicesOf.partitions(table, columns, wanted).groupBy(_.partition).toSeq.sortBy(_._1).flatMap {
      case (partition, slices) => RescaleStep.of(partition, slices, count)
    }

  /** Returns the steps that are left for a partition. */
  def of(table: HudiliteTable, partition: String, count: Int): Seq[RescaleStep] =
    RescaleStep.of(partition, table.snapshot.slices(partition), count)

  /** Commits a step.
    * @param table  opened at the snapshot from which the step was planned
    * @param counts numbers of buckets of the table
    * @return the new files
    * Errors: HUDILITE_CONCURRENT_WRITE if another commit has changed one of the buckets;
    * HUDILITE_CORRUPT_DATA_FILE for a key that belongs to another bucket; those of a commit. */
  def commit(
      session: SparkSession,
      table: HudiliteTable,
      counts: BucketCounts,
      step: RescaleStep
  ): Seq[FileGroupResult] = {
    val hidden = Map(step.partition -> step.from.map(_.fileId))
    val touched = step.numbers(counts).map(FileGroupRef.bucket(step.partition, _)).toSet ++
      step.from.map(slice => FileGroupRef(step.partition, slice.fileId))
    new RewriteCommit(session, table, CommitMetadata.cluster, hidden)
      .commit(Seq(step.partition), touched)(tasks(session, table, counts, step, _))
  }

  private def tasks(
      session: SparkSession,
      table: HudiliteTable,
      counts: BucketCounts,
      step: RescaleStep,
      rewrite: BaseFileRewriter
  ): RDD[FileGroupResult] = {
    val hashed = table.config.hashFields.toArray
    val buckets = step.to.map { bucket =>
      bucket -> counts.fileId(table.config.uuid, step.partition, bucket, rewrite.pending.instant)
    }
    val context = session.sparkContext
    (step.from, buckets) match {
      case (_, Seq((bucket, fileId))) =>
        val join = new BucketJoin(step.partition, bucket, step.from, fileId, hashed)
        context.parallelize(Seq(join), 1).map(_.run(rewrite))
      case (from, several) =>
        val divisions = from.map(new BucketDivision(_, several, hashed))
        context.parallelize(divisions, divisions.size).flatMap(_.run(rewrite))
    }
  }
}
