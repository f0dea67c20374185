package hudilite.spark.locate

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, TransformExpression}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning,
  PartitioningCollection
}
import org.apache.spark.sql.internal.SQLConf

import hudilite.format.TableConfig
import hudilite.spark.plan.{BoundColumnBucket, ColumnBucket, MergeSpec}

/** Partitionings of a source that need no exchange by file group: by the target's bucket, and
  * possibly by other columns (driver side).
  *
  * @param function bucket of a row from the value of its hash column, as the target computes it
  * @param column   source column that contains this value
  * @param pinned   source columns whose values are in a row's partition path, without those whose
  *                 folders are dates; empty if its bucket is looked up in every partition
  */
final case class BucketedSource(
    function: BoundColumnBucket,
    column: Attribute,
    pinned: Seq[Attribute]
) {
  import BucketedSource._

  /** Returns how the rows are partitioned by bucket, or None. With
    * `spark.sql.sources.v2.bucketing.shuffle.enabled`, Spark may shuffle rows to join them with
    * such a partitioning. It places a row whose values no partition has by the hash of all its
    * values, so only a partitioning by the bucket alone keeps a bucket in one partition. */
  def in(source: Partitioning): Option[Grouped] = source match {
    case PartitioningCollection(all) => all.iterator.flatMap(in).nextOption()
    case PartitionsByKey(partitions)
        if partitions.expressions.exists(isBucket) &&
          (partitions.expressions.size == 1 || !SQLConf.get.v2BucketingShuffleEnabled) =>
      Some(Grouped(partitions, partitions.expressions.map(e => isBucket(e) || isPinned(e))))
    case _ => None
  }

  private def isPinned(column: Expression): Boolean = pinned.exists(_.semanticEquals(column))

  private def isBucket(expression: Expression): Boolean = expression match {
    case bucket: TransformExpression if bucket.numBucketsOpt.isEmpty =>
      val isAlike = Option(bucket.function).collect { case other: BoundColumnBucket =>
        other.canonicalName == function.canonicalName
      }
      isAlike.contains(true) && bucket.children.map(_.canonicalized) == Seq(column.canonicalized)
    case _ => false
  }
}

object BucketedSource {

  /** @param count number of buckets
    * @return None if the bucket does not follow from one source column */
  def of(spec: MergeSpec, config: TableConfig, count: Int): Option[BucketedSource] = {
    val fields = if (spec.hasStoredKey) Nil else config.recordKeyFields
    val values = fields.zip(spec.sourceKey).toMap
    for {
      bucket <- ColumnBucket.of(config, count, name => values.get(name).map(_.dataType))
      column <- values.get(bucket.field).collect { case column: Attribute => column }
    } yield BucketedSource(
      BoundColumnBucket(bucket, column.dataType),
      column,
      if (Tag.spansPartitions(spec, config)) Nil
      else
        spec.sourcePartition.toSeq.flatten.zip(config.partitionFields).collect {
          case (value: Attribute, field) if config.holdsValue(field) => value
        }
    )
  }

  /** Partitioning of rows by bucket.
    * @param isOfFileGroup for each expression, whether rows of one file group have the same value
    *                      of it */
  final case class Grouped(partitions: PartitionsByKey, isOfFileGroup: Seq[Boolean]) {

    /** Returns a distribution that the rows already satisfy. */
    def distribution: Distribution =
      ClusteredDistribution(
        partitions.expressions.flatMap(_.references.toSeq),
        requireAllClusterKeys = false
      )

    /** Values that all rows of a file group share, for each partition of the rows. Partitions with
      * equal values may hold rows of the same file groups. */
    lazy val units: Seq[Seq[Any]] = {
      val types = partitions.expressions.map(_.dataType)
      partitions.keys.map(_.toSeq(types).zip(isOfFileGroup).collect { case (key, true) => key })
    }
  }
}
