package hudilite.spark.bootstrap

import org.apache.spark.sql.catalyst.TableIdentifier

import hudilite.error.HudiliteException
import hudilite.spark.error.InvalidArgument

/** Request to create a table over existing Parquet files. The source has not been read yet.
  * @param table          name of the new table, with its database
  * @param source         path of a folder, or name of a table
  * @param key            key columns as written, at least one
  * @param partitionedBy  partition columns as written
  * @param partitions     condition on partition columns: files to include
  * @param fullPartitions condition on partition columns: files to rewrite
  * @param isDryRun       whether the files are only inspected
  * @param isFull         whether all files are rewritten
  * @param buckets        buckets of each partition, only if all files are rewritten
  * @param parallelism    maximum number of tasks that inspect the files
  * @param skipsCorrupt   whether unreadable files are left out
  * @param isMergeOnRead  whether later writes may add log files
  * @param ordering       ordering fields as written
  * @param asksForFilters whether base files get bloom filters, as those of tables without buckets
  *                       always do */
final case class BootstrapRequest(
    table: TableIdentifier,
    source: String,
    key: Seq[String],
    partitionedBy: Option[Seq[String]],
    partitions: Option[String],
    fullPartitions: Option[String],
    location: Option[String],
    isDryRun: Boolean,
    isFull: Boolean,
    buckets: Option[Int],
    parallelism: Option[Int],
    skipsCorrupt: Boolean,
    isMergeOnRead: Boolean,
    ordering: Option[String],
    asksForFilters: Boolean
) {

  /** Name of the new table, for errors. */
  def name: String = table.unquotedString

  /** Builds HUDILITE_ARGUMENT_INVALID for an argument of CALL bootstrap. */
  def invalid(argument: String, value: String, fix: String): HudiliteException =
    InvalidArgument("bootstrap", argument, value, fix)
}
