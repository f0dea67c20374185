package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

import hudilite.format.{FileId, IndexKind, PartitionPath}
import hudilite.view.{FileSlice, TableSnapshot}

/** The file slices that a read opens, and what pruning proves.
  * @param slices          latest slices of the kept partitions and buckets
  * @param partitions      partitions listed
  * @param totalPartitions partitions of the snapshot
  * @param buckets         kept and all buckets of a bucket table; None when no bucket is pinned
  * @param totalSlices     slices of the listed partitions
  */
final case class SliceSelection(
    slices: Seq[FileSlice],
    partitions: Int,
    totalPartitions: Int,
    buckets: Option[(Int, Int)],
    totalSlices: Int
) {

  /** Text for EXPLAIN. */
  def text: String = {
    val parts = Seq(s"partitions $partitions of $totalPartitions") ++
      buckets.map { case (kept, all) => s"buckets $kept of $all" } :+
      s"files ${slices.size} of $totalSlices"
    parts.mkString(", ")
  }
}

object SliceSelection {

  /** Lists the slices of the partitions that the filters leave. Runs on the driver.
    * @param snapshot table as of a commit
    * @param schema   table schema
    * @param filters  predicates that are all true for a wanted row
    * @param known    those partitions, where they were listed before
    */
  def of(
      snapshot: TableSnapshot,
      schema: StructType,
      filters: Seq[Expression],
      known: Option[KeptPartitions] = None
  ): SliceSelection = {
    val partitions = known.getOrElse(KeptPartitions.of(snapshot, schema, filters))
    val all = listed(snapshot, partitions.kept)
    val buckets = pinned(snapshot, schema, filters)
    SliceSelection(
      all.filter(slice => buckets.forall { case (kept, _) => holds(slice, kept) }),
      partitions.kept.size,
      partitions.kept.size + partitions.pruned,
      buckets.map { case (kept, numBuckets) => kept.size -> numBuckets },
      all.size
    )
  }

  /** The slices that more filters leave, known only when the query runs. Lists nothing.
    * @param slices slices of the snapshot
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
      partitions(slice.partition) && buckets.forall { case (kept, _) => holds(slice, kept) }
    }
  }

  /** Partitions listed one after the other up to this number, by several threads beyond. */
  private val sequentialPartitions = 8

  private def listed(snapshot: TableSnapshot, partitions: Seq[String]): Seq[FileSlice] =
    if (partitions.size <= sequentialPartitions) partitions.flatMap(snapshot.slices)
    else
      partitions.asJava
        .parallelStream()
        .map[Seq[FileSlice]](partition => snapshot.slices(partition))
        .toList
        .asScala
        .toSeq
        .flatten

  /** The buckets that the filters leave and the number of all, when they pin any. */
  private def pinned(
      snapshot: TableSnapshot,
      schema: StructType,
      filters: Seq[Expression]
  ): Option[(Set[Int], Int)] = snapshot.config.index match {
    case IndexKind.Bucket(numBuckets, hashFields) =>
      val config = snapshot.config
      new BucketPruning(config.recordKeyFields, config.complexKey, hashFields, numBuckets, schema)
        .buckets(filters)
        .map(kept => kept -> numBuckets)
    case IndexKind.Bloom => None
  }

  private def holds(slice: FileSlice, buckets: Set[Int]): Boolean =
    FileId.bucketOf(slice.fileId).forall(buckets.contains)
}
