package hudilite.procedures

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.types.{StringType, StructField, StructType}

import hudilite.format.{MetaFields, PartitionPath, TableConfig}
import hudilite.spark.plan.KeyText
import hudilite.spark.read.SliceReader
import hudilite.view.SnapshotView

/** What a task needs to judge a table's rows.
  * @param columns  the meta columns, then those of the table
  * @param whole    reads these
  * @param keysOnly reads `_hoodie_record_key` */
private[procedures] final class RowFacts(
    val config: TableConfig,
    val view: SnapshotView,
    columns: StructType,
    val whole: PartitionReaderFactory,
    val keysOnly: PartitionReaderFactory
) extends Serializable {
  private val partitions = config.partitionFields

  /** Whether one key may come only once in the whole table, not in a partition. */
  def isGlobal: Boolean =
    config.isGlobalIndex || partitions.forall(config.recordKeyFields.contains)

  /** The record key that a row's columns give, as expressions over a row; one of them must be the
    * stored one. Empty where its text cannot be told: a type whose text Hudi's writers differ on. */
  def keyTexts: Seq[Expression] =
    values(config.recordKeyFields).toSeq.flatMap { keys =>
      def joined = KeyText.complexKey(config.recordKeyFields, keys)
      def plain = KeyText.expression(keys.head)
      if (config.isKeyEncodingUncertain) Seq(joined, plain)
      else Seq(if (config.complexKey) joined else plain)
    }

  /** Texts of the partition columns, nothing where they cannot be told. */
  def partitionTexts: Option[Seq[Expression]] = values(partitions).map(_.map(KeyText.expression))

  /** The folder of a row. Unlike a writer it takes any text, so that it can be compared.
    * @param texts those of the partition columns, in order */
  def folder(texts: Seq[Option[String]]): String =
    partitions
      .zip(texts)
      .map { case (field, text) =>
        val value = text.filter(_.nonEmpty).fold(PartitionPath.DefaultValue) { t =>
          if (config.urlEncode) PartitionPath.escape(t) else t
        }
        if (config.hiveStyle) s"$field=$value" else value
      }
      .mkString("/")

  private def values(fields: Seq[String]): Option[Seq[Expression]] = {
    val found = fields.flatMap(field =>
      columns.fieldNames.indices.find(columns(_).name == field).map { at =>
        BoundReference(at, columns(at).dataType, nullable = true)
      }
    )
    Some(found).filter(_.size == fields.size).filter(_.forall(v => KeyText.supports(v.dataType)))
  }
}

private[procedures] object RowFacts {

  /** @param schema columns of the table */
  def of(
      session: SparkSession,
      config: TableConfig,
      view: SnapshotView,
      schema: StructType
  ): RowFacts = {
    val columns = StructType(MetaFields.all.map(StructField(_, StringType)) ++ schema.fields)
    val key = StructType(Seq(StructField(MetaFields.RecordKey, StringType)))
    def factory(read: StructType) =
      SliceReader.factory(session, config, columns, read, Array.empty, strict = true, stored = true)
    new RowFacts(config, view, columns, factory(columns), factory(key))
  }
}
