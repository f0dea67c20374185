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

/** Tags each source row with its file group by the bucket index: no file is read (task side).
  *
  * Adds the partition path (null where the statement looks into every partition), the bucket (-1
  * where the key is null), the record key and the path that ON pins. NOT MATCHED BY SOURCE puts in one row without source values for
  * each file group that the statement must look at whether or not a source row falls into it.
  * Source: seed 000 (tagLocation of the bucket index).
  *
  * @param tag       expressions over the child's output
  * @param exchanges true where the source is exchanged by its file group before it is tagged, so that
  *                  the exchange carries nothing but the source's own columns; a source that is
  *                  bucketed like the target needs none
  * @param tagOutput their attributes
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

  /** Where the source's rows lie by the target's buckets already, in as many tasks as there are cores. */
  private def buckets: Option[SourceBuckets.Grouped] =
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

  /** Whole file groups, in no more tasks than an exchange would give. Two tasks with rows of one file
    * group would each write it: nothing is taken for granted of what the plan has become. */
  private def sourceRows: RDD[InternalRow] = {
    val rows = child.execute()
    def isExchanged = child.outputPartitioning.satisfies(
      ClusteredDistribution(tag.group, requireAllClusterKeys = false)
    )
    buckets match {
      case Some(grouped) => WholeBuckets.of(rows, grouped.units, job.tasks)
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
