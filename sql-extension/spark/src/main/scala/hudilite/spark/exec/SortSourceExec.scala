package hudilite.spark.exec

import java.util.concurrent.TimeUnit

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.physical.{
  Distribution,
  Partitioning,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import hudilite.spark.locate.TaggedRow

/** Operator that brings tagged source rows to the tasks of their file groups and sorts them there:
  * whole file groups, each by record key (task side).
  *
  * @param exchanges whether the rows are exchanged by file group; false if the child has arranged
  *                  them already
  */
case class SortSourceExec(
    @transient statement: WriteStatement,
    exchanges: Boolean,
    child: SparkPlan
) extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(
      if (exchanges) SourceExchange.distribution(statement, TaggedRow.fileGroup(child.output))
      else UnspecifiedDistribution
    )

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "sortTime" -> SQLMetrics.createTimingMetric(sparkContext, "sort time"),
    "peakMemory" -> SQLMetrics.createSizeMetric(sparkContext, "peak memory"),
    "spillSize" -> SQLMetrics.createSizeMetric(sparkContext, "spill size")
  )

  override protected def doExecute(): RDD[InternalRow] = source.sorted

  /** Executes the child and returns its rows, with the sort that this operator applies to them. */
  def source: TaggedSource = {
    val schema = child.schema
    val (time, peak, spilt) =
      (longMetric("sortTime"), longMetric("peakMemory"), longMetric("spillSize"))
    val sorted = (rows: Iterator[InternalRow]) => {
      def count(cost: TaggedRowSort.Cost): Unit = {
        time += TimeUnit.NANOSECONDS.toMillis(cost.nanos)
        peak += cost.peakBytes
        spilt += cost.spilledBytes
      }
      new TaggedRowSort(schema, rows.map(_.asInstanceOf[UnsafeRow]), count)
        .sorted(): Iterator[InternalRow]
    }
    TaggedSource(child.execute(), sorted)
  }

  override def simpleString(maxFields: Int): String = s"$nodeName file group, record key"

  override protected def withNewChildInternal(newChild: SparkPlan): SortSourceExec =
    copy(child = newChild)
}
