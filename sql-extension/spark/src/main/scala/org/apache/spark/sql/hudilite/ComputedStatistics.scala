package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, LogicalPlan}
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.command.CommandUtils

/** Jobs of ANALYZE TABLE. Bridge to the private[sql] `CommandUtils.computeColumnStats`, which is the job of
  * Spark's own statement, and `Dataset.ofRows`. */
object ComputedStatistics {

  /** Counts the rows of a plan. */
  def rows(spark: SparkSession, plan: LogicalPlan): Long = Dataset.ofRows(spark, plan).count()

  /** Returns the number of rows of a plan and the statistics of columns. */
  def of(
      spark: SparkSession,
      plan: LogicalPlan,
      columns: Seq[Attribute]
  ): (Long, Map[Attribute, ColumnStat]) = CommandUtils.computeColumnStats(spark, plan, columns)
}
