package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.execution.LogicalRDD

/** Converts a plan to a DataFrame and back. Bridge to the private[sql] members `Dataset.ofRows` and
  * `LogicalRDD.fromDataset`. */
object PlanFrame {
  def of(spark: SparkSession, plan: LogicalPlan): DataFrame = Dataset.ofRows(spark, plan)

  /** Returns the rows of a streaming batch as a plan for a batch (non-streaming) statement. */
  def rows(batch: Dataset[_]): LogicalPlan =
    LogicalRDD.fromDataset(batch.queryExecution.toRdd, batch, isStreaming = false)
}
