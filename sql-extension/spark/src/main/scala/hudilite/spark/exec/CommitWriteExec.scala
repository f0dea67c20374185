package hudilite.spark.exec

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan, UnaryExecNode}

import hudilite.error.HudiliteException

/** Runs the merge and makes it one commit (driver side).
  *
  * Begins the instant, collects what the tasks say of their file groups, removes files of lost
  * attempts and commits. A failure before the commit point leaves the table as it was.
  *
  * @param output counts of rows for MERGE, the affected rows for UPDATE and DELETE, nothing for INSERT
  */
case class CommitWriteExec(
    @transient job: WriteJob,
    output: Seq[Attribute],
    refreshCache: () => Unit,
    child: SparkPlan
) extends V2CommandExec
    with UnaryExecNode {

  override lazy val metrics: Map[String, SQLMetric] = CommitWriteExec.counts.map { name =>
    name -> SQLMetrics.createMetric(sparkContext, name)
  }.toMap

  override protected def run(): Seq[InternalRow] = {
    val results = merge()
    refreshCache()
    val counts = CommitWriteExec.count(results)
    CommitWriteExec.counts.zip(counts).foreach { case (name, n) => longMetric(name).set(n) }
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, execution, metrics.values.toSeq)
    if (output.isEmpty) Seq.empty else Seq(toCatalystRow(counts.take(output.size): _*))
  }

  private def merge(): Seq[FileResult] =
    try {
      job.begin()
      val results = child.executeCollect().toSeq.map(FileResult.fromRow)
      results ++ job.commit(results)
    } catch {
      case NonFatal(e) =>
        val fault = HudiliteException.find(e).getOrElse(e)
        try job.abort()
        catch { case NonFatal(second) => fault.addSuppressed(second) }
        throw fault
    }

  override def simpleString(maxFields: Int): String = s"$nodeName ${job.description}"

  override protected def withNewChildInternal(newChild: SparkPlan): CommitWriteExec =
    copy(child = newChild)
}

object CommitWriteExec {
  val counts: Seq[String] =
    Seq("num_affected_rows", "num_updated_rows", "num_deleted_rows", "num_inserted_rows")

  /** Affected, updated, deleted and inserted rows; a row that changed its partition is updated. */
  def count(results: Seq[FileResult]): Seq[Long] = {
    val moved = results.map(_.movedOut).sum
    val updated = results.map(_.updates).sum + moved
    val deleted = results.map(_.deletes).sum - moved
    val inserted = results.map(_.inserts).sum - results.map(_.movedIn).sum
    Seq(updated + deleted + inserted, updated, deleted, inserted)
  }
}
