package org.apache.spark.sql.hudilite

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.types.StructType

/** Builds DataFrames for streaming batches. Bridge to the private[sql] members
  * `SparkSession.internalCreateDataFrame` and `SparkSession.withActive`. */
object StreamFrame {

  /** Returns rows as a streaming DataFrame. */
  def of(spark: SparkSession, rows: RDD[InternalRow], schema: StructType): DataFrame =
    spark.internalCreateDataFrame(rows, schema, isStreaming = true)

  /** Runs some work with `spark` as the active session, so that its settings and not those of the
    * stream apply. */
  def under[A](spark: SparkSession)(work: => A): A = spark.withActive(work)
}
