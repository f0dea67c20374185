package org.apache.spark.sql.hudilite

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.types.StructType

/** Converts plans and rows to DataFrames, and back. Bridge to the private[sql] members
  * `Dataset.ofRows`, `SparkSession.internalCreateDataFrame`, `StructType.asNullable` and
  * `LogicalRDD.fromDataset`. */
object PlanFrame {
  def of(spark: SparkSession, plan: LogicalPlan): DataFrame = Dataset.ofRows(spark, plan)

  /** Returns rows of an RDD as a DataFrame, in which all fields, elements and values may be NULL. */
  def of(spark: SparkSession, rows: RDD[InternalRow], schema: StructType): DataFrame =
    spark.internalCreateDataFrame(rows, schema.asNullable)

  /** Returns the rows of a streaming batch as a plan for a batch (non-streaming) statement. */
  def rows(batch: Dataset[_]): LogicalPlan =
    LogicalRDD.fromDataset(batch.queryExecution.toRdd, batch, isStreaming = false)
}
