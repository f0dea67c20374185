package hudilite.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  GenericInternalRow,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.locate.{BucketCoalescer, BucketedSource, Tag}

/** Operator that tags each source row with its file group by the bucket index, without reading a
  * file (task side).
  *
  * Adds the columns that [[Tag]] describes. NOT MATCHED BY SOURCE adds a row without source values
  * for each file group that must be visited even if no source row belongs to it.
  * Source: seed 000 (tagLocation of the bucket index).
  *
  * @param exchanges whether to exchange the source by file group before tagging, so that only its
  *                  own columns are exchanged; no exchange if it is bucketed like the target
  * @param tagOutput attributes of the tag expressions
  */
case class TagRowsExec(
    tag: Tag,
    tagOutput: Seq[Attribute],
    exchanges: Boolean,
    @transient job: WriteJob,
    child: SparkPlan
) extends UnaryExecNode {

  override def output: Seq[Attribute] = tagOutput ++ child.output
  override def producedAttributes: AttributeSet = AttributeSet(tagOutput)

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(
      if (exchanges) buckets.fold(job.grouped(tag.group))(_.distribution)
      else UnspecifiedDistribution
    )

  /** The source's own partitioning by bucket, if it has enough distinct buckets for the cores. */
  private def buckets: Option[BucketedSource.Grouped] =
    tag.buckets.filter(_ => exchanges).flatMap(_.in(child.outputPartitioning)).filter {
      _.units.distinct.size >= math.min(job.tasks, sparkContext.defaultParallelism)
    }

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of tagged source rows"),
    "numVisitedGroups" ->
      SQLMetrics.createMetric(sparkContext, "number of file groups visited without a source row")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = longMetric("numOutputRows")
    val (expressions, input): (Seq[Expression], Seq[Attribute]) =
      (tag.expressions ++ child.output, child.output)
    val tagged = sourceRows.mapPartitionsWithIndex { (index, source) =>
      val projection = UnsafeProjection.create(expressions, input)
      projection.initialize(index)
      source.map { row =>
        rows += 1
        projection(row): InternalRow
      }
    }
    val groups = job.groupsToVisit
    longMetric("numVisitedGroups") += groups.size
    if (groups.isEmpty) tagged else sparkContext.union(tagged, visits(groups))
  }

  /** Returns the source rows in partitions that contain whole file groups, at most as many as an
    * exchange would make. Two tasks with rows of one file group would both write it, so the
    * physical plan is checked rather than trusted. */
  private def sourceRows: RDD[InternalRow] = {
    val rows = child.execute()
    def isExchanged = child.outputPartitioning.satisfies(
      ClusteredDistribution(tag.group, requireAllClusterKeys = false)
    )
    buckets match {
      case Some(grouped) => BucketCoalescer.of(rows, grouped.units, job.tasks)
      case None if !exchanges || isExchanged => rows
      case None => throw new IllegalStateException(s"INTERNAL: $simpleSource is not exchanged")
    }
  }

  private def simpleSource: String = child.simpleString(conf.maxToStringFields)

  private def visits(groups: Seq[(Option[String], Int)]): RDD[InternalRow] = {
    val types = output.map(_.dataType).toArray
    val width = output.size
    sparkContext
      .parallelize(groups, math.min(groups.size, sparkContext.defaultParallelism))
      .mapPartitions { part =>
        val projection = UnsafeProjection.create(types)
        part.map { case (partition, bucket) =>
          val values = new Array[Any](width)
          values(0) = partition.map(UTF8String.fromString).orNull
          values(1) = bucket
          projection(new GenericInternalRow(values)): InternalRow
        }
      }
  }

  override def simpleString(maxFields: Int): String = {
    val where = tag.onlyPartition.fold("")(path => s" in partition $path")
    val key = if (tag.recordKey.references.isEmpty) "" else s" of ${tag.recordKey.sql}"
    s"$nodeName ${job.index}$where${job.visits}$key"
  }

  override protected def withNewChildInternal(newChild: SparkPlan): TagRowsExec =
    copy(child = newChild)
}
