package hudilite.spark.exec

import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, UnspecifiedDistribution}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.util.SerializableConfiguration

import hudilite.index.LookupCounts
import hudilite.spark.locate.{BloomIndex, LocatedRows, TaggedRow}
import hudilite.spark.plan.{BloomSettings, FileSizes}
import hudilite.view.BootstrapIndex

/** Operator that sets the file group numbers of tagged rows in a table without buckets (driver
  * side; starts lookup jobs). Rows with known keys get the file group that contains the key, found
  * by key ranges, bloom filters and keys. New keys get a file group that has room, or a new one.
  *
  * The operator alone owns the located rows of its latest execution; operators above it find them
  * by [[LocateRowsExec.located]].
  *
  * @param exchanges whether the rows are exchanged by partition path and key; false if the child
  *                  has arranged them already
  */
case class LocateRowsExec(
    @transient statement: WriteStatement,
    exchanges: Boolean,
    child: SparkPlan
) extends UnaryExecNode {
  @transient private val latest = new AtomicReference(Option.empty[LocatedRows])

  override def output: Seq[Attribute] = child.output

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(
      if (exchanges) SourceExchange.distribution(statement, TaggedRow.record(child.output))
      else UnspecifiedDistribution
    )

  override lazy val metrics: Map[String, SQLMetric] = LocateRowsExec.counts.map {
    case (name, (text, _)) => name -> SQLMetrics.createMetric(sparkContext, text)
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val counters = metrics
    def add(counted: LookupCounts): Unit =
      LocateRowsExec.counts.foreach { case (name, (_, of)) => counters(name) += of(counted) }
    latest.get.foreach(_.release()) // of an execution before
    val located = index(add).locate(child.execute())
    latest.set(Some(located))
    located.rows
  }

  /** @param counts called in tasks with their counts */
  private def index(counts: LookupCounts => Unit): BloomIndex = {
    import statement.{fileGroups, hadoopConf, snapshot, spec, table}
    val settings = statement.session.sessionState.conf
    val inserts = spec.notMatched.nonEmpty
    val newest = snapshot.lastInstant
      .filter(_ => inserts)
      .filterNot(BootstrapIndex.instant.equals) // it describes skeletons, not rows
      .flatMap(snapshot.metadata)
    new BloomIndex(
      table.name,
      sparkContext,
      sparkContext.broadcast(new SerializableConfiguration(hadoopConf)),
      fileGroups,
      inserts,
      FileSizes.of(settings, table.config.properties, newest.toSeq.flatMap(_.stats)),
      BloomSettings.pruning(settings),
      SourceExchange.tasks(statement),
      Option.when(table.config.mayHaveLogs)(statement.keys.reader),
      counts
    )
  }

  override def simpleString(maxFields: Int): String = s"$nodeName ${statement.texts.lookup}"

  override protected def withNewChildInternal(newChild: SparkPlan): LocateRowsExec =
    copy(child = newChild)
}

object LocateRowsExec {

  private object Plans extends AdaptiveSparkPlanHelper

  /** Returns the located rows of a plan that has been executed; None if it locates no rows. */
  def located(plan: SparkPlan): Option[LocatedRows] =
    Plans.collectFirst(plan) { case locate: LocateRowsExec => locate.latest.get }.flatten

  /** Frees the memory of the located rows of a plan, if it has any. What the lookup has found is
    * kept: adaptive execution does not look up again if the plan is executed again. */
  def release(plan: SparkPlan): Unit = located(plan).foreach(_.release())

  private val counts: Map[String, (String, LookupCounts => Long)] = Map(
    "numFiles" -> ("files in touched partitions", _.files),
    "numFilesOpened" -> ("files opened", _.opened),
    "numFootersRead" -> ("footers read", _.footersRead),
    "numFiltersRead" -> ("footers read with their bloom filters", _.filtersRead),
    "numFilesWithoutRange" -> ("files whose key range is not known", _.withoutRange),
    "numFilesUnpruned" -> ("files searched without key ranges, because ranges excluded too few",
      _.unpruned),
    "numFilesAfterRange" -> ("files after their key ranges", _.afterRange),
    "numFilesAfterFilter" -> ("files after their bloom filters", _.afterFilter),
    "numFilesOutnumbered" -> ("files joined, as more keys were sought than they have",
      _.outnumbered),
    "numFilesForFewKeys" -> ("files searched for few keys, which needs no bloom filter", _.few),
    "numFilesUnfiltered" -> ("files joined, as they have no sound bloom filter", _.unfiltered),
    "numFiltersAltered" -> ("bloom filters that do not fit their checksum", _.altered),
    "numComparisons" -> ("comparisons with bounds of key ranges", _.comparisons),
    "numProbed" -> ("keys tested with bloom filters", _.probed),
    "numPassed" -> ("keys that bloom filters let pass", _.passed),
    "numFalsePositives" -> ("false positives of bloom filters", _.falsePositives),
    "numConfirmed" -> ("keys found", _.confirmed)
  )
}
