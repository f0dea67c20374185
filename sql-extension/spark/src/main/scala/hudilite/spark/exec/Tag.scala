package hudilite.spark.exec

import hudilite.error.HudiliteException
import hudilite.format.{IndexKind, TableConfig}
import hudilite.spark.plan.{KeyText, MergeSpec}
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Coalesce,
  Expression,
  Literal
}
import org.apache.spark.sql.types.{IntegerType, StringType}

/** What the bucket index says of a source row, as expressions over the source.
  *
  * @param partition partition path; null where the statement looks into every partition
  * @param bucket    bucket number; -1 where the key is null
  * @param recordKey record key as Hudi stores it; null where a key column is
  * Source: seed 000 (getBucketId); hudi-format.md 5, 6
  */
final case class Tag(partition: Expression, bucket: Expression, recordKey: Expression) {

  def expressions: Seq[Expression] = Seq(partition, bucket, recordKey)
}

object Tag {

  val output: Seq[AttributeReference] = Seq(
    AttributeReference("partition_path", StringType)(),
    AttributeReference("bucket", IntegerType, nullable = false)(),
    AttributeReference("record_key", StringType)()
  )

  /** Tag of the source rows of a statement. */
  def of(spec: MergeSpec, config: TableConfig): Tag = {
    val key = recordKey(spec, config)
    Tag(
      if (spansPartitions(spec, config)) Literal(null, StringType) else pinnedPath(spec, config),
      Coalesce(Seq(bucket(key, config), Literal(-1))),
      key
    )
  }

  /** Whether a row may match, or move, outside the partition that its own values name. */
  def spansPartitions(spec: MergeSpec, config: TableConfig): Boolean =
    config.partitionFields.nonEmpty && (spec.sourcePartition.isEmpty || spec.movesPartition)

  private def bucket(key: Expression, config: TableConfig): Expression = config.index match {
    case IndexKind.Bucket(count, fields) => KeyText.bucket(key, fields, count)
    case IndexKind.Bloom =>
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> "A write",
        "table" -> config.name,
        "fix" -> "create the table WITH BUCKETS n"
      )
  }

  private def recordKey(spec: MergeSpec, config: TableConfig): Expression =
    if (config.complexKey) KeyText.complexKey(config.recordKeyFields, spec.sourceKey)
    else KeyText.expression(spec.sourceKey.head)

  private def pinnedPath(spec: MergeSpec, config: TableConfig): Expression =
    KeyText.partitionPath(
      config.partitionFields,
      spec.sourcePartition.getOrElse(Seq.empty),
      config.hiveStyle,
      config.urlEncode
    )
}
