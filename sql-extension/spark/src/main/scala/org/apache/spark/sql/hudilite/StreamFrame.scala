package org.apache.spark.sql.hudilite

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.types.StructType

/** Batches of streams: bridge to the private[sql] members `SparkSession.internalCreateDataFrame` and
  * `SparkSession.withActive`. */
object StreamFrame {

  /** Rows as a batch of a stream. */
  def of(spark: SparkSession, rows: RDD[InternalRow], schema: StructType): DataFrame =
    spark.internalCreateDataFrame(rows, schema, isStreaming = true)

  /** Does something under a session's own settings, those of the stream left aside. */
  def under[A](spark: SparkSession)(work: => A): A = spark.withActive(work)
}
