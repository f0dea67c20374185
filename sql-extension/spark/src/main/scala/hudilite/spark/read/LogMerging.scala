package hudilite.spark.read

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType, StructType}

import hudilite.error.HudiliteException
import hudilite.format.TableConfig.Key
import hudilite.format.{MergeOrder, MetaFields, TableConfig}

/** Rule by which rows of log files and bases are merged.
  * @param rule   which of two rows of a key stays
  * @param fields ordering fields by which it decides; none in commit time
  * @param key    column by which rows of a key find each other
  * @param keys   rule for the record keys, if files store none
  * Source: merge-on-read §3.5, §4. */
private[read] final case class LogMerging(
    rule: MergeOrder.Named,
    fields: Seq[String],
    key: String,
    keys: Option[VirtualKeys]
) {

  /** Columns that are compared, and those from which the record key follows: the key first. */
  def compared: Seq[String] = key +: (keys.fold(Seq.empty[String])(_.fields) ++ fields)

  /** Whether a row that fails a filter may still win over one that passes it. */
  def needsAllRows: Boolean = fields.nonEmpty

  /** Returns the columns of a data block that decide which rows stay.
    * @param schema columns of the files */
  def keyed(schema: StructType): StructType = StructType(
    (compared ++ Option.when(schema.fieldNames.contains(MergeOrder.isDeleted))(
      MergeOrder.isDeleted
    ))
      .distinct.map(schema(_))
  )

  /** Returns columns to read, with those that decide which rows stay at the end.
    * @param schema columns of the files
    * @param wanted columns that are asked for */
  def withKeyed(schema: StructType, wanted: StructType): StructType =
    StructType(wanted ++ keyed(schema).filterNot(field => wanted.fieldNames.contains(field.name)))
}

private[read] object LogMerging {

  /** Ordering values in commit time. */
  val noValues: Array[Any] = Array.empty

  /** Returns the rule of a table.
    * @param schema   columns of the files
    * @param basePath location of the table, for errors
    * Errors: HUDILITE_UNSUPPORTED_TABLE if code of the user or a rule for single columns decides, if
    * record keys are neither stored nor follow from columns, or if the table keeps changes or
    * operations beside its rows. */
  def of(config: TableConfig, schema: StructType, basePath: String): LogMerging = {
    def refused(fact: String, value: String) = throw unsupported(basePath, fact, value)
    val keys = if (config.hasMetaFields) None else VirtualKeys.of(config, schema)
    if (!config.hasMetaFields && keys.isEmpty) refused(Key.metaFields, "false")
    if (config.keepsChanges) refused(Key.cdc, "true")
    config.orderingFields.find(_.contains('.')).foreach(refused("ordering field", _))
    MergeOrder.of(config) match {
      case MergeOrder.EventTime =>
        LogMerging(MergeOrder.EventTime, config.orderingFields, keyOf(config, schema), keys)
      case MergeOrder.CommitTime =>
        LogMerging(MergeOrder.CommitTime, Nil, keyOf(config, schema), keys)
      case MergeOrder.Other(fact, value) => refused(fact, value)
    }
  }

  /** Returns the one key column if files store it and its text is the record key; otherwise
    * `_hoodie_record_key`. A query often reads the key column, too, and numbers are compared faster. */
  private def keyOf(config: TableConfig, schema: StructType): String =
    Some(config.recordKeyFields).collect { case Seq(one) => one }
      .filterNot { one =>
        config.complexKey || config.isKeyEncodingUncertain || !config.isGeneratorKnown ||
        PathColumns.isOfPath(config, one)
      }
      .flatMap(one => schema.find(_.name == one))
      .filter(field =>
        keyTypes(field.dataType) && CharVarcharUtils.getRawType(field.metadata).isEmpty
      )
      .fold(MetaFields.RecordKey)(_.name)

  private val keyTypes: Set[DataType] = Set(StringType, IntegerType, LongType)

  /** Returns columns of blocks that need not have all of them: `_hoodie_record_key` is one, at the end if
    * it is not among the given ones, and each may be NULL. */
  def ofPartial(columns: StructType): StructType = {
    val all =
      if (columns.fieldNames.contains(MetaFields.RecordKey)) columns
      else columns.add(MetaFields.RecordKey, StringType)
    StructType(all.map(_.copy(nullable = true)))
  }

  /** Returns the error for a row of a log file without an ordering value. */
  def noOrdering(log: Path, fields: Seq[String]): HudiliteException = HudiliteException(
    "HUDILITE_CORRUPT_DATA_FILE",
    "path" -> log.toString,
    "reason" -> s"a row has NULL in the ordering field ${fields.mkString(", ")}"
  )

  private def unsupported(basePath: String, fact: String, value: String) = HudiliteException(
    "HUDILITE_UNSUPPORTED_TABLE",
    "path" -> basePath,
    "fact" -> fact,
    "value" -> value,
    "fix" -> ("hudilite does not merge the rows of its log files. Compact the table with stock Hudi, " +
      "CALL run_compaction(op => 'scheduleAndExecute', table => '...'), or read the state of the last " +
      "compaction: option hoodie.datasource.query.type = read_optimized.")
  )
}
