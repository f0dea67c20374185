package hudilite.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.read.partitioning.{KeyGroupedPartitioning, Partitioning}
import org.apache.spark.sql.connector.read.{HasPartitionKey, InputPartition}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{FileId, PartitionPath, TableConfig}
import hudilite.spark.plan.{ColumnBucket, KeyText}
import hudilite.view.FileSlice

/** File slices by the bucket, and the partition columns that are read, of their rows: of two tables
  * that are grouped alike Spark joins group by group. Made on the driver.
  *
  * @param keys   what the rows of a group have in common
  * @param slices of each group, with the values of `keys`
  */
private[read] final case class BucketGroups(
    keys: Seq[Transform],
    slices: Seq[(InternalRow, Seq[FileSlice])]
) {
  def partitioning: Partitioning = new KeyGroupedPartitioning(keys.toArray, slices.size)

  /** The groups of some of the slices. */
  def of(kept: Seq[FileSlice]): Seq[(InternalRow, Seq[FileSlice])] = {
    val isKept = kept.toSet
    slices.map { case (key, files) => key -> files.filter(isKept) }.filter(_._2.nonEmpty)
  }
}

private[read] object BucketGroups {

  /** The groups of a read; nothing where a row's group is not told by its columns, or where a task
    * for each leaves cores idle.
    * @param schema of the table
    * @param read   columns that are read
    * @param slices to read
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
      bucket <- ColumnBucket.of(config, name => schema.find(_.name == name).map(_.dataType))
      if spark.sessionState.conf.v2BucketingEnabled && read.fieldNames.contains(bucket.field)
      if slices.size >= spark.sparkContext.defaultParallelism
      values <- all(slices.map(_.partition).distinct.map { path =>
        valuesOf(path, config, partitions).map(path -> _)
      })
      numbers <- all(slices.map(slice => FileId.bucketOf(slice.fileId)))
      groups = grouped(slices.zip(numbers), values.toMap, partitions)
      if groups.size >= spark.sparkContext.defaultParallelism
    } yield BucketGroups(
      partitions.fieldNames.toSeq.map(name => Expressions.identity(quoted(name))) :+
        Expressions.apply(bucket.name, Expressions.column(quoted(bucket.field))),
      groups
    )
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

  /** The values that all rows of a partition have, where its path tells them: the folder of nulls holds
    * the empty text too, and a path may be written otherwise than its values are. */
  private def valuesOf(
      path: String,
      config: TableConfig,
      partitions: StructType
  ): Option[InternalRow] =
    if (partitions.isEmpty) Some(InternalRow.empty)
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

  /** Expressions parses names. */
  private def quoted(column: String): String = s"`${column.replace("`", "``")}`"
}

/** The files of one group. */
private[read] final case class GroupedFiles(files: FilePartition, key: InternalRow)
    extends InputPartition
    with HasPartitionKey {
  override def partitionKey(): InternalRow = key
  override def preferredLocations(): Array[String] = files.preferredLocations()
}
