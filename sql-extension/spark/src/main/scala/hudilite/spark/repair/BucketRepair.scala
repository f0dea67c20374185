package hudilite.spark.repair

import org.apache.spark.sql.classic.SparkSession

import hudilite.format.{FileId, IndexKind}
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.RewriteCommit
import hudilite.timeline.FileGroupRef
import hudilite.verify.TableCheck
import hudilite.view.FileSlice

/** Repair of a bucket that has several file groups: they are merged into one. Runs on the driver;
  * one task writes the new base file. */
object BucketRepair {

  /** Returns the latest slices of a bucket, None if it has fewer than two. */
  def surplus(table: HudiliteTable, partition: String, bucket: Int): Option[Seq[FileSlice]] =
    TableCheck
      .run(table.timeline, files = false)
      .table
      .filter(_.config.hasBuckets)
      .map(_.slices.map(_.slice).filter { slice =>
        slice.partition == partition && FileId.bucketOf(slice.fileId).contains(bucket)
      })
      .filter(_.size > 1)

  /** Merges the file groups of a bucket in one replacecommit.
    * @param slices latest slices of the bucket, see [[surplus]]
    * @return the new file
    * Errors: HUDILITE_CORRUPT_DATA_FILE for a file with keys of other buckets; those of a
    * commit. */
  def merge(
      session: SparkSession,
      table: HudiliteTable,
      partition: String,
      bucket: Int,
      slices: Seq[FileSlice]
  ): FileGroupResult = {
    val (buckets, fields) = table.config.index match {
      case IndexKind.Bucket(n, hashed) => (n, hashed)
      case IndexKind.Bloom => throw new IllegalStateException("INTERNAL: a table without buckets")
    }
    val touched = slices.map(slice => FileGroupRef(partition, slice.fileId)).toSet +
      FileGroupRef.bucket(partition, bucket)
    val hidden = Map(partition -> slices.map(_.fileId))
    new RewriteCommit(session, table, "INSERT_OVERWRITE", hidden).commit(Seq(partition), touched) {
      rewrite =>
        val merge = new BucketMerge(
          partition,
          bucket,
          slices.sortBy(slice => (slice.instant, slice.fileId)),
          FileId.bucket(table.config.uuid, partition, bucket, rewrite.pending.instant),
          fields.toArray,
          buckets
        )
        session.sparkContext.parallelize(Seq(merge), 1).map(_.run(rewrite))
    }.head
  }
}
