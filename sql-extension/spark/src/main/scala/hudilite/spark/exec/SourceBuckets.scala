package hudilite.spark.exec

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

/** How a source's rows may lie so that they need no exchange to come to their file groups (driver
  * side): by the target's bucket, and by columns besides.
  *
  * @param function bucket of a row by the value of its hash column, as the target has it
  * @param column   the source's column that gives that value
  * @param pinned   the source's columns whose values are in a row's partition path; none where its
  *                 bucket is looked into in every partition
  */
final case class SourceBuckets(
    function: BoundColumnBucket,
    column: Attribute,
    pinned: Seq[Attribute]
) {
  import SourceBuckets._

  /** How the rows lie by bucket, if they do. A row that Spark has exchanged to be joined with such rows
    * may lie anywhere among the groups, by all of their values at once. */
  def in(source: Partitioning): Option[Grouped] = source match {
    case PartitioningCollection(all) => all.iterator.flatMap(in).nextOption()
    case RowGroups(groups)
        if groups.expressions.exists(isBucket) &&
          (groups.expressions.size == 1 || !SQLConf.get.v2BucketingShuffleEnabled) =>
      Some(Grouped(groups, groups.expressions.map(e => isBucket(e) || isPinned(e))))
    case _ => None
  }

  private def isPinned(group: Expression): Boolean = pinned.exists(_.semanticEquals(group))

  private def isBucket(group: Expression): Boolean = group match {
    case bucket: TransformExpression if bucket.numBucketsOpt.isEmpty =>
      val isAlike = Option(bucket.function).collect { case other: BoundColumnBucket =>
        other.canonicalName == function.canonicalName
      }
      isAlike.contains(true) && bucket.children.map(_.canonicalized) == Seq(column.canonicalized)
    case _ => false
  }
}

object SourceBuckets {

  /** @return nothing where no column of the source alone tells the bucket */
  def of(spec: MergeSpec, config: TableConfig): Option[SourceBuckets] = {
    val values = config.recordKeyFields.zip(spec.sourceKey).toMap
    for {
      bucket <- ColumnBucket.of(config, name => values.get(name).map(_.dataType))
      column <- values.get(bucket.field).collect { case column: Attribute => column }
    } yield SourceBuckets(
      BoundColumnBucket(bucket, column.dataType),
      column,
      if (Tag.spansPartitions(spec, config)) Nil
      else spec.sourcePartition.toSeq.flatten.collect { case value: Attribute => value }
    )
  }

  /** Rows that lie by bucket.
    * @param isOfGroup which of their groups' values two rows of one file group have in common
    */
  final case class Grouped(groups: RowGroups, isOfGroup: Seq[Boolean]) {

    /** What they may be asked for: what they give. */
    def distribution: Distribution =
      ClusteredDistribution(
        groups.expressions.flatMap(_.references.toSeq),
        requireAllClusterKeys = false
      )

    /** What tells, of each partition of the rows, which others hold rows of the same file groups. */
    lazy val units: Seq[Seq[Any]] = {
      val types = groups.expressions.map(_.dataType)
      groups.keys.map(_.toSeq(types).zip(isOfGroup).collect { case (key, true) => key })
    }
  }
}
