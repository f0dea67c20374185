package hudilite.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.read.partitioning.{KeyGroupedPartitioning, Partitioning}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{PartitionPath, TableConfig}
import hudilite.spark.plan.{ColumnBucket, KeyText}
import hudilite.view.FileSlice

/** File slices of a read by bucket and by the partition columns that are read. The slices of one
  * key become one input partition. Spark joins two reads with equal keys input partition by input
  * partition, without a shuffle (storage-partitioned join). Built on the driver.
  *
  * @param keys   transforms whose values all rows of an input partition share
  * @param slices values of `keys` and file slices of each input partition
  */
private[read] final case class BucketGroups(
    keys: Seq[Transform],
    slices: Seq[(InternalRow, Seq[FileSlice])]
) {
  def partitioning: Partitioning = new KeyGroupedPartitioning(keys.toArray, slices.size)

  /** Returns the input partitions with only the slices in `kept`, without empty ones. */
  def of(kept: Seq[FileSlice]): Seq[(InternalRow, Seq[FileSlice])] = {
    val isKept = kept.toSet
    slices.map { case (key, files) => key -> files.filter(isKept) }.filter(_._2.nonEmpty)
  }
}

private[read] object BucketGroups {

  /** Returns the input partitions of a read by bucket. None if the columns that are read do not
    * determine a row's input partition, if there is less than one input partition for each core, or
    * if the session has `spark.sql.sources.v2.bucketing.enabled` off.
    * @param schema table schema
    * @param read   columns that are read
    * @param slices file slices to read
    */
  def of(
      spark: SparkSession,
      config: TableConfig,
      schema: StructType,
      read: StructType,
      slices: Seq[FileSlice]
  ): Option[BucketGroups] = {
    val partitions = StructType(
      config.partitionFields.flatMap(field => read.find(_.name == field))
    )
    for {
      count <- commonCount(slices)
      bucket <- ColumnBucket.of(config, count, name => schema.find(_.name == name).map(_.dataType))
      if spark.sessionState.conf.v2BucketingEnabled && read.fieldNames.contains(bucket.field)
      if slices.size >= spark.sparkContext.defaultParallelism
      values <- all(slices.map(_.partition).distinct.map { path =>
        valuesOf(path, config, partitions).map(path -> _)
      })
      numbers <- all(slices.map(_.bucket.map(_.number % count)))
      groups = grouped(slices.zip(numbers), values.toMap, partitions)
      if groups.size >= spark.sparkContext.defaultParallelism
    } yield BucketGroups(
      partitions.fieldNames.toSeq.map(name => Expressions.identity(quoteIdentifier(name))) :+
        Expressions.apply(bucket.name, Expressions.column(quoteIdentifier(bucket.field))),
      groups
    )
  }

  /** Returns a number of buckets of which each slice has one, or a part of one: the lower number if the
    * table has two. */
  private def commonCount(slices: Seq[FileSlice]): Option[Int] = {
    val counts = slices.flatMap(_.bucket).map(_.count).distinct
    counts.minOption.filter(least => counts.forall(_ % least == 0))
  }

  private def grouped(
      slices: Seq[(FileSlice, Int)],
      valuesOf: Map[String, InternalRow],
      partitions: StructType
  ): Seq[(InternalRow, Seq[FileSlice])] =
    slices
      .groupMap { case (slice, bucket) =>
        valuesOf(slice.partition).toSeq(partitions) :+ bucket
      }(_._1)
      .toSeq
      .map { case (key, files) => InternalRow.fromSeq(key) -> files }

  /** Returns the partition column values of all rows of a partition; None if its path does not
    * determine them, as a date does not. Hudi's default partition may hold both null and the empty
    * string, and a path may contain another text than the one that hudilite writes for the value. */
  private def valuesOf(
      path: String,
      config: TableConfig,
      partitions: StructType
  ): Option[InternalRow] =
    if (partitions.isEmpty) Some(InternalRow.empty)
    else if (!partitions.fieldNames.forall(config.holdsValue)) None
    else
      PartitionPath.decode(path, config).flatMap { texts =>
        PartitionValues.parse(texts, config, partitions).filter { values =>
          partitions.indices.forall { i =>
            val field = partitions(i)
            val text = texts(config.partitionFields.indexOf(field.name))
            val value = Literal(values.get(i, field.dataType), field.dataType)
            if (!KeyText.supports(field.dataType)) false
            else if (value.value == null) field.dataType != StringType
            else KeyText.expression(value).eval() == text.map(UTF8String.fromString).orNull
          }
        }
      }

  private def all[T](each: Seq[Option[T]]): Option[Seq[T]] =
    Option.when(each.forall(_.nonEmpty))(each.flatten)

}
