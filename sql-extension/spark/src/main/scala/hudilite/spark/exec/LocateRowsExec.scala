package hudilite.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, UnspecifiedDistribution}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import hudilite.index.LookupCounts
import hudilite.spark.locate.TaggedRow

/** Operator that sets the file group numbers of tagged rows in a table without buckets (driver
  * side; starts lookup jobs). Rows with known keys get the file group that contains the key, found
  * by key ranges, bloom filters and keys. New keys get a file group that has room, or a new one.
  *
  * @param exchanges whether the rows are exchanged by partition path and key; false if the child
  *                  has arranged them already
  */
case class LocateRowsExec(@transient job: WriteJob, exchanges: Boolean, child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(if (exchanges) job.grouped(TaggedRow.record(child.output)) else UnspecifiedDistribution)

  override lazy val metrics: Map[String, SQLMetric] = LocateRowsExec.counts.map {
    case (name, (text, _)) => name -> SQLMetrics.createMetric(sparkContext, text)
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val counters = metrics
    def add(counted: LookupCounts): Unit =
      LocateRowsExec.counts.foreach { case (name, (_, of)) => counters(name) += of(counted) }
    job.bloomIndex(add).locate(child.execute())
  }

  override def simpleString(maxFields: Int): String = s"$nodeName ${job.way}"

  override protected def withNewChildInternal(newChild: SparkPlan): LocateRowsExec =
    copy(child = newChild)
}

object LocateRowsExec {

  private val counts: Map[String, (String, LookupCounts => Long)] = Map(
    "numFiles" -> ("files in touched partitions", _.files),
    "numFilesOpened" -> ("files opened", _.opened),
    "numFootersRead" -> ("footers read", _.footersRead),
    "numFiltersRead" -> ("footers read with their bloom filters", _.filtersRead),
    "numFilesWithoutRange" -> ("files whose key range is not known", _.withoutRange),
    "numFilesUnpruned" -> ("files not pruned, as key ranges left out too little", _.unpruned),
    "numFilesAfterRange" -> ("files after their key ranges", _.afterRange),
    "numFilesAfterFilter" -> ("files after their bloom filters", _.afterFilter),
    "numFilesOutnumbered" -> ("files joined, as more keys were sought than they have",
      _.outnumbered),
    "numFilesForFewKeys" -> ("files searched for few keys, which needs no bloom filter", _.few),
    "numFilesUnfiltered" -> ("files joined, as they have no sound bloom filter", _.unfiltered),
    "numFiltersAltered" -> ("bloom filters that do not fit their checksum", _.altered),
    "numComparisons" -> ("comparisons with bounds of key ranges", _.comparisons),
    "numProbed" -> ("keys asked of bloom filters", _.probed),
    "numPassed" -> ("keys that bloom filters let pass", _.passed),
    "numFalsePositives" -> ("keys that bloom filters let pass in vain", _.falsePositives),
    "numConfirmed" -> ("keys found", _.confirmed)
  )

  /** Returns the sort order by these columns, for rows that are collected on the driver. */
  def order(tagged: Seq[Attribute]): Seq[SortOrder] =
    TaggedRow.record(tagged).map(SortOrder(_, Ascending))
}
