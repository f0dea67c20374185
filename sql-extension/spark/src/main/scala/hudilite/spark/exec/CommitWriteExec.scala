package hudilite.spark.exec

import scala.util.Using

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan, UnaryExecNode}

import hudilite.error.HudiliteException
import hudilite.spark.hive.SyncBehind
import hudilite.spark.plan.WriteSettings
import hudilite.spark.write.{ConflictRetries, PhaseMillis}
import hudilite.timeline.Instant

/** Operator that runs the merge and commits it as one instant (driver side).
  *
  * Begins the instant, collects the tasks' results for their file groups, deletes files of lost
  * attempts and commits. A failure before the commit point leaves the table as it was. A repeatable
  * write that conflicts with a newer commit is run again while retries are left.
  *
  * @param write  plan of the write, which can be made again for a retry
  * @param output counts of rows for MERGE, the affected rows for UPDATE and DELETE, nothing for
  *               INSERT
  */
case class CommitWriteExec(
    @transient write: WritePlan,
    output: Seq[Attribute],
    refreshCache: () => Unit,
    child: SparkPlan
) extends V2CommandExec
    with UnaryExecNode {

  override lazy val metrics: Map[String, SQLMetric] = WriteMetrics.create(sparkContext)

  override protected def run(): Seq[InternalRow] = {
    val done = merge()
    refreshCache()
    CleanAfterWrite(write.table)
    ArchiveAfterWrite(write.table)
    SyncBehind(write.table)
    done.show(metrics)
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, execution, metrics.values.toSeq)
    if (output.isEmpty) Seq.empty
    else {
      val answer = done.answer(write.statement.spec.newer.nonEmpty).take(output.size)
      Seq(toCatalystRow(answer.map(_.map(Long.box).orNull): _*))
    }
  }

  /** Runs attempts until one commits. A write that conflicts with a newer commit starts again on
    * the latest snapshot, and one that has waited for a step of a rescale starts there. */
  private def merge(): WriteMetrics = {
    val settings = WriteSettings.of(conf)
    def inTurn(plan: WritePlan, retries: Int)(now: => WriteMetrics): WriteMetrics =
      plan.statement.turns.flatMap(_.await()) match {
        case Some(sign) =>
          Using.resource(sign) { _ =>
            val later = plan.onLatest
            def merge = {
              sign.close()
              later.physical
            }
            attempt(later, merge, retries, planned = 0, hasWaited = true)
          }
        case None => now
      }
    def attempt(
        plan: WritePlan,
        merge: => SparkPlan,
        retries: Int,
        planned: Long,
        hasWaited: Boolean
    ): WriteMetrics = {
      val began = System.nanoTime
      val (done, tries) =
        try {
          val age = settings.rollbackMillis
          val done =
            RunningWrite.execute(plan.statement, age, retries, planned, hasWaited)(merge)
          (done, retries)
        } catch {
          case e: HudiliteException
              if ConflictRetries.isConflict(e) && plan.isRepeatable &&
                retries < settings.maxRetries =>
            if (!e.parameters.get("instant").exists(Instant.isChange))
              ConflictRetries.pause(retries, began)
            (None, retries + 1)
        }
      done.getOrElse {
        val later = plan.onLatest
        inTurn(later, tries) {
          attempt(later, later.physical, tries, planned = 0, hasWaited = tries == retries)
        }
      }
    }
    inTurn(write, 0) {
      attempt(write, child, 0, PhaseMillis.ofStatement(sparkContext), hasWaited = false)
    }
  }

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${write.statement.texts.description}"

  override protected def withNewChildInternal(newChild: SparkPlan): CommitWriteExec =
    copy(child = newChild)
}
