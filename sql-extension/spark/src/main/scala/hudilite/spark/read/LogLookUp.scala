package hudilite.spark.read

import org.apache.spark.sql.types.{DataType, StringType, StructType}

import hudilite.view.LogFile

/** The record key of a query of one key, by which rows of log files and bases find each other. Log files
  * without a row of it are not opened again, once their keys are known.
  * @param column column with the keys
  * @param of     its type: STRING, INT or BIGINT
  * @param hash   hash of the key, see [[LogKeys.hash]]
  * @param parts  key columns of which the record key is the text, if `column` is not the key column
  * Source: merge-on-read §4.1. */
private[read] final case class LogLookUp(
    column: String,
    of: DataType,
    hash: Int,
    parts: StructType = new StructType()
) {

  /** Returns the log files of a slice that may have a row or a deletion of the key, in their order. All are
    * needed if one of them has blocks that change what others mean, or if several have blocks of one
    * commit, whose place is that of the first.
    * @param logs log files of a slice
    * @param read reads the keys of a log file; None if they depend on the state of the table */
  def needed(logs: Seq[LogFile])(read: LogFile => Option[LogKeys]): Seq[LogFile] = {
    val keys = logs.map(log => LogKeys.known(log, this)(read(log)))
    val instants = keys.flatten.flatMap(_.instants)
    if (keys.exists(_.forall(!_.arePlain)) || instants.distinct.size < instants.size) logs
    else logs.zip(keys.flatten).collect { case (log, its) if its.mayHave(hash) => log }
  }
}

private[read] object LogLookUp {

  /** Returns the key of a query; None if files may have another text for its values.
    * @param merging rule by which rows are merged
    * @param keys    rule for the record keys, None if these do not follow from the key columns */
  def of(
      merging: LogMerging,
      keys: Option[VirtualKeys],
      condition: KeyCondition
  ): Option[LogLookUp] = condition.columns.zip(condition.values) match {
    case Seq((column, value)) if column.name == merging.key =>
      Some(LogLookUp(merging.key, column.dataType, LogKeys.hash(value)))
    case values =>
      keys.flatMap(_.keyOf(values)).map { key =>
        LogLookUp(merging.key, StringType, LogKeys.hash(key), StructType(condition.columns))
      }
  }
}
