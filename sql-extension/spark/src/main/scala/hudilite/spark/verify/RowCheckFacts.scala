package hudilite.spark.verify

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{StringType, StructField, StructType}

import hudilite.format.{MetaFields, TableConfig}
import hudilite.spark.plan.{DateFolderOf, KeyText, MetaColumns, NestedField}
import hudilite.spark.read.{SliceReader, SliceReaderFactory}
import hudilite.view.{SnapshotView, TableSnapshot}

/** Facts and readers for the checks of a table's rows. Built on the driver and serialized to tasks.
  * @param columns  meta columns, then those of the table
  * @param whole    reads `columns`
  * @param keysOnly reads `_hoodie_record_key` */
final class RowCheckFacts(
    val config: TableConfig,
    val view: SnapshotView,
    columns: StructType,
    val whole: SliceReaderFactory,
    val keysOnly: SliceReaderFactory
) extends Serializable {
  private val partitions = config.partitionFields

  /** Returns the ordinals of the columns that must have a value, because rows of log files and base
    * files are compared by them. */
  val comparedColumns: Seq[Int] =
    if (config.isMergeOnRead)
      config.orderingFields.map(columns.fieldNames.indexOf(_)).filter(_ >= 0)
    else Nil

  /** Whether a key must be unique in the whole table, not only in its partition. */
  def isGlobal: Boolean =
    config.isGlobalIndex || partitions.forall(config.recordKeyFields.contains)

  /** Returns the record keys that a row's columns can give, as expressions over the row. One of
    * them must be the stored one. There are two if the key encoding is uncertain, and none if the
    * rules of the key generator are not known or a key column has a type whose text differs between
    * Hudi's writers. */
  def keyTexts: Seq[Expression] =
    Option.when(Unchecked.hasKeyRules(config))(config.recordKeyFields).flatMap(
      values
    ).toSeq.flatMap {
      keys =>
        def joined = KeyText.complexKey(config.recordKeyFields, keys)
        def plain = KeyText.expression(keys.head)
        if (config.isKeyEncodingUncertain) Seq(joined, plain)
        else Seq(if (config.complexKey) joined else plain)
    }

  /** Returns the texts of the folders of the partition columns as expressions, None if one has such a
    * type or the rules of the folders are not known. */
  def partitionTexts: Option[Seq[Expression]] =
    Option.when(Unchecked.hasPathRules(config))(partitions).flatMap(found).filter(
      _.zip(partitions).forall { case (value, field) => hasFolder(field, value) }
    ).map(_.zip(partitions).map { case (value, field) => KeyText.folder(config, field, value) })

  private def hasFolder(field: String, value: Expression): Boolean = config.dateFolder(field)
    .fold(KeyText.supports(value.dataType))(DateFolderOf.whyNot(_, value.dataType).isEmpty)

  private def values(fields: Seq[String]): Option[Seq[Expression]] =
    found(fields).filter(_.forall(v => KeyText.supports(v.dataType)))

  private def found(fields: Seq[String]): Option[Seq[Expression]] = {
    val references = fields.flatMap(NestedField.of(_)(NestedField.bound(columns)))
    Some(references).filter(_.size == fields.size)
  }
}

object RowCheckFacts {

  /** Builds the facts.
    * @param schema columns of the table, without meta columns
    * @param logs   snapshot whose log files are read; None if no slice has any
    * Errors: HUDILITE_UNSUPPORTED_TABLE if the rows of log files cannot be merged. */
  def of(
      session: SparkSession,
      config: TableConfig,
      view: SnapshotView,
      schema: StructType,
      logs: Option[TableSnapshot] = None
  ): RowCheckFacts = {
    val columns = MetaColumns.before(schema)
    val key = StructType(Seq(StructField(MetaFields.RecordKey, StringType)))
    def factory(read: StructType) =
      SliceReader.factory(session, config, columns, read, Array.empty, strict = true, stored = true,
        logs = logs)
    new RowCheckFacts(config, view, columns, factory(columns), factory(key))
  }
}
