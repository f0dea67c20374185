package hudilite.spark.write

import java.util.concurrent.TimeUnit.NANOSECONDS

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.execution.SQLExecution

import hudilite.timeline.CommitMetadata

/** Milliseconds that the phases of a write took, by the driver's clock.
  * @param planning   Spark has optimized and planned the statement
  * @param tagging    the source was read, and its rows were brought to their file groups. Rows that
  *                   are not exchanged are read by the tasks that merge them, and count there
  * @param merging    tasks have merged the file groups and written files
  * @param committing lost attempts were removed and new partitions entered; what follows is in no
  *                   commit, because the commit's metadata are complete before it
  */
final case class PhaseMillis(planning: Long, tagging: Long, merging: Long, committing: Long)

object PhaseMillis {

  /** Names of the metrics. */
  val Planning = "millisPlanning"
  val Tagging = "millisTagging"
  val Merging = "millisMerging"
  val Committing = "millisCommitting"

  private val ofPlanning = Set(QueryPlanningTracker.OPTIMIZATION, QueryPlanningTracker.PLANNING)

  /** Returns the phases of an attempt whose metadata are made now.
    * @param planning milliseconds of planning
    * @param began    when the attempt had its plan, and the following ones when the phases ended, as
    *                 System.nanoTime gives them */
  def until(planning: Long, began: Long, tagged: Long, merged: Long): PhaseMillis =
    PhaseMillis(
      planning,
      between(began, tagged),
      between(tagged, merged),
      between(merged, System.nanoTime)
    )

  /** Returns the entries for a commit's extra metadata, which are made now, of a write without
    * source rows: it has nothing to plan and to tag.
    * @param began  when its tasks began, as System.nanoTime gives it
    * @param merged when they had ended */
  def withoutSource(began: Long, merged: Long): Map[String, String] = Map(
    Merging -> between(began, merged),
    Committing -> between(merged, System.nanoTime)
  ).map { case (name, millis) => s"${CommitMetadata.metrics}$name" -> millis.toString }

  /** Returns the milliseconds between two values of System.nanoTime. */
  def between(from: Long, until: Long): Long = NANOSECONDS.toMillis(until - from)

  /** Returns the milliseconds in which Spark has optimized and planned the statement that a thread
    * executes; 0 if Spark does not know them. */
  def ofStatement(context: SparkContext): Long =
    Option(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY))
      .flatMap(id => Option(SQLExecution.getQueryExecution(id.toLong)))
      .fold(0L)(_.tracker.phases.collect {
        case (phase, took) if ofPlanning(phase) => took.durationMs
      }.sum)
}
