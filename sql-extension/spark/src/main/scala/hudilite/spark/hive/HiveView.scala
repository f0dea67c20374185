package hudilite.spark.hive

import hudilite.format.TableConfig

/** What readers see under one entry of a table in the Hive metastore.
  * @param suffix          end of the entry's name
  * @param inputFormat     class of Hudi by which Hive's readers select the files
  * @param isReadOptimized whether readers pass over log files
  * Source: Hudi's HiveSyncTool and HoodieInputFormatUtils. */
private[hive] sealed abstract class HiveView(
    val suffix: String,
    val inputFormat: String,
    val isReadOptimized: Boolean
)

private[hive] object HiveView {
  private val baseFiles = "org.apache.hudi.hadoop.HoodieParquetInputFormat"
  private val withLogs = "org.apache.hudi.hadoop.realtime.HoodieParquetRealtimeInputFormat"

  /** Rows of a copy-on-write table. */
  case object Rows extends HiveView("", baseFiles, false)

  /** Rows of the base files of a merge-on-read table. */
  case object ReadOptimized extends HiveView("_ro", baseFiles, true)

  /** Rows of a merge-on-read table with the changes of its log files. */
  case object Snapshot extends HiveView("_rt", withLogs, false)

  /** Input formats of all entries. */
  val inputFormats: Set[String] = Set(baseFiles, withLogs)

  /** Returns the views that a table is registered with, in the order of stock Hudi. */
  def of(config: TableConfig): Seq[HiveView] =
    if (config.isMergeOnRead) Seq(ReadOptimized, Snapshot) else Seq(Rows)
}
