package hudilite.commit

import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.timeline.{FilesPartition, PendingPlans, Timeline, TimelineFiles}

/** Hudi's metadata table of a table that stock Hudi writes at the same time. All of this runs under the
  * lock of stock Hudi's writers. They may be writing the metadata table now, so it is never detached:
  * it must be off, or the table keeps its list of files and it has no other partition. What cannot be
  * kept is refused before anything is visible.
  *
  * Stock Hudi builds a metadata table under the lock, and looks at the table after it has taken it. So a
  * metadata table is here before a commit, or it is built from a listing that contains the commit.
  * Source: table-versions §4.5, §4.7, §5.1. */
private[commit] final class SharedMetadata(files: TimelineFiles, keep: KeepFiles) {
  import SharedMetadata._

  /** Returns what a commit must add to the metadata table; None if there is none.
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  def before(config: TableConfig, timeline: => Timeline): Option[KeepFiles.Kept] =
    if (!config.keepsFiles) {
      checkAbsent(config)
      None
    } else
      Option.when(config.hasMetadataTable) {
        PendingPlans.checkIndexing(files, timeline, config)
        others(config).foreach(found => throw refused(found))
        keep.look(config, timeline, isShared = true).fold(found => throw refused(found), identity)
      }

  /** Fails if the metadata table contains a write that is rolled back.
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  def beforeRollback(config: TableConfig, time: String): Unit =
    if (!config.keepsFiles) checkAbsent(config)
    else if (config.hasMetadataTable && keep.has(time))
      throw refused(
        KeepFiles.Obstacle(
          s"it contains the write $time, whose rollback is not finished",
          Some("Let stock Hudi clean once, which finishes it.")
        )
      )

  /** Fails if there is a metadata table, or if one is being built. A folder that the properties do not
    * name does no harm to a table that keeps it: stock Hudi builds it again from the folders.
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  def checkAbsent(config: TableConfig): Unit = {
    val named = config.metadataPartitions ++ config.metadataInflight
    val isLeft = !config.keepsFiles && files.storage.status(folder).nonEmpty
    if (named.nonEmpty || isLeft)
      throw refused(
        if (named.isEmpty) files.layout.metadataTable else named.mkString(","),
        if (config.keepsFiles) removesIt else mustBeOff
      )
  }

  /** Returns the error for a metadata table that can be neither kept nor detached. */
  def refused(found: KeepFiles.Obstacle): HudiliteException =
    refused(s"${FilesPartition.name}: ${found.text}", (found.remedy.toSeq :+ ifAlone).mkString(" "))

  private def refused(value: String, fix: String): HudiliteException = HudiliteException(
    condition,
    "path" -> files.basePath.toString,
    "fact" -> "metadata table",
    "value" -> value,
    "fix" -> fix
  )

  /** Returns other partitions than the list of files, which commits of hudilite are not in, and
    * partitions that are not built yet. */
  private def others(config: TableConfig): Option[KeepFiles.Obstacle] = {
    val left = files.storage.names(folder).filter(DetachMetadata.isFoundByName)
    val named = config.metadataPartitions.filter(_ != FilesPartition.name)
    val others = (named ++ left).distinct.sorted
    if (config.metadataInflight.nonEmpty)
      Some(
        KeepFiles.Obstacle(
          s"its partition ${config.metadataInflight.mkString(", ")} is being built",
          Some("Let stock Hudi write once, which finishes it.")
        )
      )
    else
      Option.when(others.nonEmpty)(
        KeepFiles.Obstacle(s"it has other partitions, ${others.mkString(", ")}", Some(filesOnly))
      )
  }

  private def folder = files.at(files.layout.metadataTable)
}

private[hudilite] object SharedMetadata {

  /** Condition of the error for a metadata table that can be neither kept nor detached. If it comes after a
    * commit number was taken, the next write publishes the commit when the metadata table is mended. */
  private[commit] val condition = "HUDILITE_UNSUPPORTED_TABLE"

  /** Returns why a table with a metadata table cannot be written by stock Hudi at the same time, as a text
    * that says what to do; None if it can. */
  def whyNot(config: TableConfig): Option[String] =
    if (!config.hasMetadataTable || config.keepsFiles && config.hasFilesOnly) None
    else Some(if (config.keepsFiles) s"$filesOnly $ifAlone" else mustBeOff)

  private val keeps = s"'${TableConfig.Key.metadata}' = '${TableConfig.Key.keepFiles}'"
  private val unset = s"ALTER TABLE ... UNSET TBLPROPERTIES ('${TableConfig.Key.stockLock}')"
  private val ifAlone =
    s"If no writer of stock Hudi is at work: run $unset, write once, which removes the metadata " +
      "table, and SET the property again."
  private val mustBeOff =
    s"A table with ${TableConfig.Key.stockLock} must have none, because hudilite does not write it. " +
      "Give all writers of stock Hudi hoodie.metadata.enable = false: the next write of one of them " +
      s"deletes it. Or run ALTER TABLE ... SET TBLPROPERTIES ($keeps), and give them " +
      "hoodie.metadata.index.column.stats.enable = false. " +
      ifAlone
  private val filesOnly =
    s"hudilite keeps only the partition ${FilesPartition.name}. Give all writers of stock Hudi " +
      "hoodie.metadata.index.column.stats.enable = false: the next write of one of them deletes the " +
      "statistics. Remove indexes with stock Hudi's DROP INDEX."
  private val removesIt =
    s"This would remove it while writers of stock Hudi may be at work. Stop them, run $unset, run " +
      "this again, and SET the property again."
}
