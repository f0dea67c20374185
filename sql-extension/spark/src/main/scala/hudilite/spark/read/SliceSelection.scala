package hudilite.spark.read

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

import hudilite.format.PartitionPath
import hudilite.view.{FileSlice, TableSnapshot}

/** File slices that a read opens, with the result of pruning.
  * @param slices          latest file slices of the kept partitions and buckets
  * @param partitions      number of partitions that are kept
  * @param totalPartitions number of partitions of the snapshot
  * @param buckets         number of kept buckets and of all, of the higher number of buckets if the
  *                        table has two; None if the filters pin no bucket
  * @param totalSlices     number of file slices in the kept partitions
  * @param skipped         files left out because their statistics show no wanted row
  */
final case class SliceSelection(
    slices: Seq[FileSlice],
    partitions: Int,
    totalPartitions: Int,
    buckets: Option[(Int, Int)],
    totalSlices: Int,
    skipped: Seq[FileSlice] = Nil
) {

  /** File slices that the filters leave by partition and bucket alone. What a write does depends on
    * each of them: a later commit may add a wanted row to a file that has none. */
  def considered: Seq[FileSlice] = slices ++ skipped

  /** Returns the selection without files that have no wanted row. */
  def without(useless: Set[FileSlice]): SliceSelection = {
    val (left, kept) = slices.partition(useless)
    copy(slices = kept, skipped = skipped ++ left)
  }

  /** Returns the bases alone: what Hudi calls a read-optimized query. */
  def ofBases: SliceSelection =
    copy(slices = slices.flatMap(_.withoutLogs))

  /** Text for EXPLAIN. */
  def text: String = {
    val parts = Seq(s"partitions $partitions of $totalPartitions") ++
      buckets.map { case (kept, all) => s"buckets $kept of $all" } :+
      s"files ${slices.size} of $totalSlices"
    val logs = slices.map(_.logs.size).sum
    val more = Option.when(skipped.nonEmpty)(s"${skipped.size} skipped by statistics") ++
      Option.when(logs > 0)(s"log files $logs")
    (parts ++ more).mkString(", ")
  }
}

object SliceSelection {

  /** Lists the file slices of the partitions that the filters leave, on the driver.
    * @param snapshot table as of a commit
    * @param schema   table schema
    * @param filters  predicates that are all true for a wanted row
    * @param known    these partitions, if they have been listed before
    */
  def of(
      snapshot: TableSnapshot,
      schema: StructType,
      filters: Seq[Expression],
      known: Option[KeptPartitions] = None
  ): SliceSelection = {
    val partitions = known.getOrElse(KeptPartitions.of(snapshot, schema, filters))
    val all = snapshot.slicesOf(partitions.kept)
    val buckets = pinned(snapshot, schema, filters)
    SliceSelection(
      all.filter(slice => buckets.forall(_.mayHold(slice))),
      partitions.kept.size,
      partitions.all,
      buckets.map(kept => kept.hashes.size -> kept.count),
      all.size
    )
  }

  /** Returns the file slices that runtime filters leave. Lists nothing.
    * @param slices file slices of the snapshot
    */
  def narrowed(
      snapshot: TableSnapshot,
      schema: StructType,
      slices: Seq[FileSlice],
      filters: Seq[Expression]
  ): Seq[FileSlice] = {
    val config = snapshot.config
    val buckets = pinned(snapshot, schema, filters)
    val keep = PartitionPruning.keep(config, schema, filters)
    val partitions = slices
      .map(_.partition)
      .distinct
      .filter { partition =>
        PartitionPath
          .decode(partition, config)
          .forall(values => keep.forall(_(values)))
      }
      .toSet
    slices.filter { slice =>
      partitions(slice.partition) && buckets.forall(_.mayHold(slice))
    }
  }

  /** Returns the buckets that the filters leave; None if they pin none. */
  private def pinned(
      snapshot: TableSnapshot,
      schema: StructType,
      filters: Seq[Expression]
  ): Option[KeptBuckets] = {
    val config = snapshot.config
    snapshot.counts.map(_.fine).flatMap { count =>
      new BucketPruning(config.recordKeyFields, config.complexKey, config.hashFields, count, schema)
        .buckets(filters)
        .map(new KeptBuckets(_, count))
    }
  }

  /** Buckets that filters leave.
    * @param hashes hashes of the keys modulo `count`
    * @param count  higher number of buckets of the table */
  private final class KeptBuckets(val hashes: Set[Int], val count: Int) {
    private val numbers = mutable.Map.empty[Int, Set[Int]]

    /** Whether a slice may have one of the keys. */
    def mayHold(slice: FileSlice): Boolean = slice.bucket.forall { bucket =>
      count % bucket.count != 0 ||
      numbers.getOrElseUpdate(bucket.count, hashes.map(_ % bucket.count))(bucket.number)
    }
  }
}
