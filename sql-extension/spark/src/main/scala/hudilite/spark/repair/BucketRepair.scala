package hudilite.spark.repair

import org.apache.spark.sql.classic.SparkSession

import hudilite.format.{Bucket, BucketLayout}
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.RewriteCommit
import hudilite.timeline.FileGroupRef
import hudilite.verify.TableCheck
import hudilite.view.FileSlice

/** Repair of a bucket that has several file groups: they are merged into one. Runs on the driver;
  * one task writes the new base file. */
object BucketRepair {

  /** Returns the latest slices with keys of a bucket, None if there are fewer than two. */
  def surplus(table: HudiliteTable, partition: String, bucket: Int): Option[Seq[FileSlice]] =
    TableCheck
      .run(table.timeline, files = false)
      .table
      .filter(_.config.hasBuckets)
      .flatMap { loaded =>
        val own = loaded.slices.map(_.slice).filter(_.partition == partition)
        BucketLayout.clashes(own.flatMap(slice => slice.bucket.map(_ -> slice)))
          .collectFirst { case (Bucket(`bucket`, _), several) => several }
      }

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
    val counts = table.snapshot.counts.getOrElse(
      throw new IllegalStateException("INTERNAL: a table without buckets")
    )
    val whole = slices.flatMap(_.bucket).minBy(_.count)
    val touched = slices.map(slice => FileGroupRef(partition, slice.fileId)).toSet ++
      counts.overlapping(bucket).map(FileGroupRef.bucket(partition, _))
    val hidden = Map(partition -> slices.map(_.fileId))
    new RewriteCommit(session, table, "INSERT_OVERWRITE", hidden).commit(Seq(partition), touched) {
      rewrite =>
        val merge = new BucketMerge(
          partition,
          whole,
          slices.sortBy(slice => (slice.instant, slice.fileId)),
          counts.fileId(table.config.uuid, partition, whole, rewrite.pending.instant),
          table.config.hashFields.toArray
        )
        session.sparkContext.parallelize(Seq(merge), 1).map(_.run(rewrite))
    }.head
  }
}
