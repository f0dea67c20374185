package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}

/** A plan as a DataFrame: bridge to `Dataset.ofRows`, which is private[sql]. */
object PlanFrame {
  def of(spark: SparkSession, plan: LogicalPlan): DataFrame = Dataset.ofRows(spark, plan)
}
