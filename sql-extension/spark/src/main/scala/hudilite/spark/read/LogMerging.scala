package hudilite.spark.read

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.format.TableConfig.Key
import hudilite.format.{MergeOrder, MetaFields, TableConfig}

/** Rule by which rows of log files and bases are merged.
  * @param rule   which of two rows of a key stays
  * @param fields ordering fields by which it decides; none in commit time
  * Source: merge-on-read §3.5, §4. */
private[read] final case class LogMerging(rule: MergeOrder.Named, fields: Seq[String]) {

  /** Columns that are compared: the record key first. */
  def compared: Seq[String] = MetaFields.RecordKey +: fields

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

  /** Returns columns to read, with those that are compared at the end.
    * @param schema columns of the files
    * @param wanted columns that are asked for */
  def withCompared(schema: StructType, wanted: StructType): StructType =
    StructType(wanted ++ compared.filterNot(wanted.fieldNames.contains).map(schema(_)))
}

private[read] object LogMerging {

  /** Ordering values in commit time. */
  val noValues: Array[Any] = Array.empty

  /** Returns the rule of a table.
    * @param basePath location of the table, for errors
    * Errors: HUDILITE_UNSUPPORTED_TABLE if code of the user or a rule for single columns decides, if
    * rows do not have the record key, or if the table keeps changes or operations beside its rows. */
  def of(config: TableConfig, basePath: String): LogMerging = {
    def refused(fact: String, value: String) = throw unsupported(basePath, fact, value)
    if (!config.hasMetaFields) refused(Key.metaFields, "false")
    if (config.keepsChanges) refused(Key.cdc, "true")
    config.orderingFields.find(_.contains('.')).foreach(refused("ordering field", _))
    MergeOrder.of(config) match {
      case MergeOrder.EventTime => LogMerging(MergeOrder.EventTime, config.orderingFields)
      case MergeOrder.CommitTime => LogMerging(MergeOrder.CommitTime, Nil)
      case MergeOrder.Other(fact, value) => refused(fact, value)
    }
  }

  /** Returns the error for a block with only the columns that an update changed. */
  def partial(log: Path): HudiliteException =
    unsupported(log.getParent.toString, s"log file ${log.getName} with a partial update", "true")

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
