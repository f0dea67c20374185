package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.execution.LogicalRDD

/** A plan as a DataFrame and back: bridge to `Dataset.ofRows` and `LogicalRDD.fromDataset`, which are
  * private[sql]. */
object PlanFrame {
  def of(spark: SparkSession, plan: LogicalPlan): DataFrame = Dataset.ofRows(spark, plan)

  /** The rows of a stream's batch for a statement that is no part of the stream. */
  def rows(batch: Dataset[_]): LogicalPlan =
    LogicalRDD.fromDataset(batch.queryExecution.toRdd, batch, isStreaming = false)
}
