package hudilite.spark.locate

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.{IntegerType, StringType}

import hudilite.format.{BucketCounts, MetaFields, TableConfig}
import hudilite.spark.plan.{KeyText, MergeSpec, RecordKeyOf}

/** Expressions over a source row that locate its file group by the bucket index (evaluated in
  * tasks).
  *
  * @param partition     partition path; null if the statement looks into every partition
  * @param bucket        bucket number; null if the key is, or if the table has no buckets. While the
  *                      table has two counts, it is that of the higher one: the listing of the
  *                      partition tells the bucket. Of a row that looks into every partition, it is
  *                      that of the lower one
  * @param place         bucket number of a row that has a key, and some number for a row of which
  *                      Hudi cannot store one; while the table has two counts, it is that of the
  *                      lower one
  * @param recordKey     record key as Hudi stores it; null if a key column is
  * @param pinned        partition path that the row looks into; null if it looks into every one
  * @param onlyPartition path of the partition that all rows look into, if the statement names it
  * @param buckets       partitionings of the source that need no exchange
  * Source: seed 000 (getBucketId); hudi-format.md 5, 6
  */
final case class Tag(
    partition: Expression,
    bucket: Expression,
    place: Expression,
    recordKey: Expression,
    pinned: Expression,
    onlyPartition: Option[String],
    buckets: Option[BucketedSource]
) {

  /** Returns the expressions of the columns of [[TaggedRow]]. */
  def expressions: Seq[Expression] = Seq(partition, bucket, recordKey, pinned)

  /** Returns the expressions that identify the file group in a table with buckets, by which rows are
    * exchanged: partition path and bucket. Without a partition path of each row, the bucket alone.
    * Whether Hudi can store a row's key is found out after the exchange, once.
    */
  def fileGroup: Seq[Expression] = Seq(partition, place).filterNot(_.foldable)
}

object Tag {

  /** Returns the tag of a statement's source rows.
    * @param counts numbers of buckets of the table, if it has buckets */
  def of(spec: MergeSpec, config: TableConfig, counts: Option[BucketCounts]): Tag = {
    val texts = spec.sourceKey.map(KeyText.expression)
    val key =
      if (spec.hasStoredKey) RecordKeyOf(texts, Seq(MetaFields.RecordKey), complex = false)
      else RecordKeyOf(texts, config.recordKeyFields, config.complexKey)
    val nowhere = Literal(null, StringType)
    val pinned = spec.sourcePartition.fold[Expression](nowhere)(path(_, config))
    val spans = spansPartitions(spec, config)
    Tag(
      if (spans) nowhere else pinned,
      bucket(key, config, counts.map(of => if (spans) of.coarse else of.fine)),
      bucket(key.copy(checked = false), config, counts.map(_.coarse)),
      key,
      if (spans) pinned else nowhere,
      if (spans) None else named(spec, config),
      counts.flatMap(of => BucketedSource.of(spec, config, of.coarse))
    )
  }

  /** Returns the path of a partition given by literals alone. Other constants may fail when they
    * are evaluated. */
  private def named(spec: MergeSpec, config: TableConfig): Option[String] =
    spec.sourcePartition
      .filter(values => values.nonEmpty && values.forall(_.isInstanceOf[Literal]))
      .filter(_ => spec.sourceKey.exists(_.references.nonEmpty)) // else there are no source rows
      .map(path(_, config).eval().toString)

  /** Whether a row may match, or move, outside of the partition that its own values name. */
  def spansPartitions(spec: MergeSpec, config: TableConfig): Boolean =
    config.partitionFields.nonEmpty && (spec.sourcePartition.isEmpty || spec.movesPartition)

  private def bucket(key: Expression, config: TableConfig, count: Option[Int]): Expression =
    count.fold[Expression](Literal(null, IntegerType))(KeyText.bucket(key, config.hashFields, _))

  private def path(values: Seq[Expression], config: TableConfig): Expression =
    KeyText.partitionPath(config, values)
}
