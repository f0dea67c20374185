package hudilite.spark.merge

import org.apache.hadoop.fs.Path
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.BucketCounts
import hudilite.index.BucketIndex
import hudilite.io.Storage
import hudilite.timeline.TimelineFiles
import hudilite.view.InstantRecords

/** Buckets of the partitions of a table, as a write statement sees them (task side). A partition is
  * listed when it is first asked for, once by all tasks of an executor.
  * @param replaces whether the statement hides all file groups of the partitions that it writes */
private[spark] final class TableBuckets(shared: Broadcast[TableForTasks], replaces: Boolean) {
  private val table = shared.value
  private val view = table.view
  private val base = new Path(view.basePath)
  private lazy val storage = Storage.of(base, table.conf.value)

  /** Numbers of buckets of the table. */
  val counts: BucketCounts = view.counts.getOrElse(
    throw new IllegalStateException(s"INTERNAL: ${view.basePath} has no buckets")
  )

  private val hashFields = table.hashFields.toArray

  /** Returns the hash of a record key modulo the higher number of buckets. */
  def hash(key: UTF8String): Int = BucketIndex.bucketOfKeyUtf8(key, hashFields, counts.fine)

  private lazy val none = new PartitionBuckets(counts, Map.empty)

  /** Returns the buckets of a partition.
    * Errors: HUDILITE_DUPLICATE_BUCKET_FILE; those of [[hudilite.view.SnapshotView.latest]]. */
  def of(partition: String): PartitionBuckets =
    if (replaces) none else table.buckets(partition)(listed)

  private def listed(partition: String): PartitionBuckets = {
    val entries = if (view.isEmpty) Nil else storage.list(Storage.resolve(base, partition))
    val slices = view.latest(entries, partition, recorded)
    view.checkBuckets(partition, slices)
    view.checkCounts(slices)
    new PartitionBuckets(
      counts,
      slices.flatMap(slice => slice.bucket.map(_.number -> slice)).toMap
    )
  }

  private lazy val recorded: InstantRecords = {
    val timeline = new TimelineFiles(storage, base, table.timeline)
    InstantRecords.of(timeline) { instant =>
      timeline.completedWrite(instant).map(timeline.commit(_).stats.map(_.fileName).toSet)
    }
  }
}
