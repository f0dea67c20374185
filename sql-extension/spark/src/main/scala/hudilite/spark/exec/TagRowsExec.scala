package hudilite.spark.exec

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import hudilite.spark.locate.{BucketCoalescer, BucketedSource, ByPartition, Tag, TaggedRow}
import hudilite.spark.merge.{TableBuckets, TableForTasks}

/** Operator that tags each source row with its file group by the bucket index, without reading a
  * file (task side). While the table has two numbers of buckets, the names of a partition's files
  * tell which bucket has a key: the partition is listed, as the merge does it, too.
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
    @transient statement: WriteStatement,
    child: SparkPlan
) extends UnaryExecNode {

  override def output: Seq[Attribute] = tagOutput ++ child.output
  override def producedAttributes: AttributeSet = AttributeSet(tagOutput)

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(
      if (exchanges)
        buckets.fold(SourceExchange.distribution(statement, tag.fileGroup))(_.distribution)
      else UnspecifiedDistribution
    )

  /** The source's own partitioning by bucket, if it has enough distinct buckets for the cores. */
  private def buckets: Option[BucketedSource.Grouped] =
    tag.buckets.filter(_ => exchanges).flatMap(_.in(child.outputPartitioning)).filter { of =>
      val tasks = SourceExchange.tasks(statement)
      of.units.distinct.size >= math.min(tasks, sparkContext.defaultParallelism)
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
    val places = placing
    val tagged = sourceRows.mapPartitionsWithIndex { (index, source) =>
      val projection = UnsafeProjection.create(expressions, input)
      projection.initialize(index)
      val placed = places.map(_())
      source.map { row =>
        rows += 1
        val result = projection(row)
        placed.foreach(_(result))
        result: InternalRow
      }
    }
    val visited = statement.visitedFileGroups
    longMetric("numVisitedGroups") += visited.size
    if (visited.isEmpty) tagged else sparkContext.union(tagged, visits(visited))
  }

  /** Returns what a task does with its tagged rows, if the table has two numbers of buckets and each
    * row belongs to one partition. */
  private def placing: Option[() => UnsafeRow => Unit] =
    Option.when(statement.counts.exists(_.areMixed) && !statement.spansPartitions) {
      TagRowsExec.placing(statement.forTasks, statement.spec.replaces.nonEmpty)
    }

  /** Returns the source rows in partitions that contain whole file groups, at most as many as an
    * exchange would make. Two tasks with rows of one file group would both write it, so the
    * physical plan is checked rather than trusted. */
  private def sourceRows: RDD[InternalRow] = {
    val rows = child.execute()
    def isExchanged = child.outputPartitioning.satisfies(
      ClusteredDistribution(tag.fileGroup, requireAllClusterKeys = false)
    )
    buckets match {
      case Some(grouped) => BucketCoalescer.of(rows, grouped.units, SourceExchange.tasks(statement))
      case None if !exchanges || isExchanged => rows
      case None => throw new IllegalStateException(s"INTERNAL: $simpleSource is not exchanged")
    }
  }

  private def simpleSource: String = child.simpleString(conf.maxToStringFields)

  private def visits(fileGroups: Seq[(Option[String], Int)]): RDD[InternalRow] = {
    val types = output.map(_.dataType).toArray
    sparkContext
      .parallelize(fileGroups, math.min(fileGroups.size, sparkContext.defaultParallelism))
      .mapPartitions { part =>
        val projection = UnsafeProjection.create(types)
        part.map { case (partition, number) =>
          projection(TaggedRow.visit(partition, number, types.length)): InternalRow
        }
      }
  }

  override def simpleString(maxFields: Int): String = {
    val where = tag.onlyPartition.fold("")(path => s" in partition $path")
    val key = if (tag.recordKey.references.isEmpty) "" else s" of ${tag.recordKey.sql}"
    s"$nodeName ${statement.texts.index}$where${statement.texts.visits}$key"
  }

  override protected def withNewChildInternal(newChild: SparkPlan): TagRowsExec =
    copy(child = newChild)
}

object TagRowsExec {

  /** Returns a function, called once in each task, that returns one which sets the bucket number of a
    * tagged row in place: from the number of the higher count to that of the partition's bucket. It is
    * in the object so that tasks do not serialize the operator. */
  private def placing(
      shared: Broadcast[TableForTasks],
      replaces: Boolean
  ): () => UnsafeRow => Unit =
    () => {
      val buckets = new TableBuckets(shared, replaces)
      val layouts = new ByPartition((path, _) => buckets.of(path.toString).layout)
      row =>
        if (TaggedRow.hasFileGroup(row))
          TaggedRow.setFileGroup(row, layouts.of(row).numberOf(TaggedRow.fileGroup(row)))
    }
}
