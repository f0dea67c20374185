package hudilite.commit

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.{ChangedTable, TableConfig, TableVersion}
import hudilite.io.Storage
import hudilite.timeline.{PendingPlans, Timeline, TimelineFiles}

/** Detaches Hudi's metadata table from a table: empties the properties that name its partitions,
  * then deletes it. Runs on the driver.
  *
  * Stock Hudi and hudi-rs read the metadata table instead of the folders. A commit that it lacks is
  * invisible to them, and stock Hudi's next write of the file group loses it. hudilite does not
  * write the metadata table, so each write detaches it before it takes its commit number. Without
  * it, readers list the folders, and stock Hudi's next write builds it again.
  * @param table     name of the table in errors
  * @param isWatched whether the table may have a metadata table; if not, nothing is looked up unless
  *                  another program has committed
  * @param isShared  whether stock Hudi writes the table at the same time: then its metadata table must
  *                  be off, and is never detached
  * @param detached  called after a metadata table was detached
  * Source: table-versions §0.3-0.4, §4.7, §5.6, §7.5. */
final class DetachMetadata(
    files: TimelineFiles,
    table: String,
    isWatched: Boolean,
    detached: () => Unit,
    isShared: Boolean = false
) {
  import DetachMetadata._

  private val storage = files.storage

  /** Detaches the metadata table before a write becomes visible. Deletes one that the properties do
    * not name, unless another write may just be building it.
    * @param timeline   instants that have a file
    * @param own        instants of the write
    * @param isRequired whether the table is looked at even if it is not watched
    * Errors: HUDILITE_CONCURRENT_WRITE if the table has got another version meanwhile;
    * HUDILITE_UNSUPPORTED_TABLE while an index is being built; those of the storage. Nothing of the
    * write is visible then. */
  private[hudilite] def before(
      timeline: => Timeline,
      own: Set[String] = Set.empty,
      isRequired: Boolean = false
  ): Unit = if (isWatched || isRequired) {
    val config = stored()
    if (config.version.timelineLayout != files.layout.version)
      throw CommitLog.concurrent(table, upgraded, own.maxOption.getOrElse(""))
    if (config.hasStockLock != isShared)
      throw CommitLog.concurrent(table, lockChanged, own.maxOption.getOrElse(""))
    if (isShared) checkOff(config)
    else if (config.hasMetadataTable) {
      PendingPlans.checkIndexing(files, timeline, config)
      detach(config)
    } else if (storage.status(folder).nonEmpty && isAlone(timeline, own)) deleteFolder()
  }

  /** Detaches a metadata table that stock Hudi has built since [[before]], perhaps without the files
    * of the write. */
  private[hudilite] def after(): Unit = if (isWatched) {
    val config = stored()
    if (config.hasMetadataTable) detach(config)
  }

  /** Returns what the table says about its metadata table, and whether that is there. */
  def status(): Status = {
    val config = stored()
    Status(config.metadataPartitions, config.metadataInflight, storage.status(folder).nonEmpty)
  }

  /** Fails if there is a metadata table, or if one is being built. Under the lock, that of stock Hudi is
    * here before the write, or it is built from a listing that contains the write.
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  private def checkOff(config: TableConfig): Unit = {
    val named = config.metadataPartitions ++ config.metadataInflight
    if (named.nonEmpty || storage.status(folder).nonEmpty) throw HudiliteException(
      "HUDILITE_UNSUPPORTED_TABLE",
      "path" -> files.basePath.toString,
      "fact" -> "metadata table",
      "value" -> (if (named.isEmpty) files.layout.metadataTable else named.mkString(",")),
      "fix" -> DetachMetadata.mustBeOff
    )
  }

  private def isAlone(timeline: Timeline, own: Set[String]): Boolean =
    (timeline.pending -- own).isEmpty && PendingPlans.indexing(timeline).isEmpty

  private def detach(config: TableConfig): Unit = {
    files.replaceConfig(ChangedTable.detached(config))
    deleteFolder()
    detached()
  }

  /** Deletes the folder. Stock Hudi finds secondary and expression indexes without looking into the
    * properties, so their folders are deleted first. */
  private def deleteFolder(): Unit = {
    storage.names(folder).distinct.filter(name => foundByName.exists(name.startsWith)).foreach {
      index =>
        storage.deleteTree(Storage.resolve(folder, index))
    }
    storage.deleteTree(folder): Unit
  }

  /** Reads the properties. If stock Hudi was interrupted while it replaced them, puts back the copy
    * that it has made before. */
  private def stored(): TableConfig =
    try files.config()
    catch {
      case e: HudiliteException
          if e.condition == missing && storage.exists(files.propertiesBackup) =>
        storage.createNew(files.properties, storage.read(files.propertiesBackup)): Unit
        files.config()
    }

  private def folder: Path = files.at(files.layout.metadataTable)
}

object DetachMetadata {

  /** State of Hudi's metadata table of a table.
    * @param partitions partitions that readers use
    * @param inflight   partitions that are being built
    * @param exists     whether its folder is there */
  final case class Status(partitions: Seq[String], inflight: Seq[String], exists: Boolean)

  private val foundByName = Seq("secondary_index_", "expr_index_")
  private val missing = "HUDILITE_MISSING_FILE"
  private val lockChanged = s"all, because ${TableConfig.Key.stockLock} was changed"

  /** What to do about a metadata table of a table that stock Hudi writes at the same time. */
  private[hudilite] val mustBeOff: String =
    s"A table with ${TableConfig.Key.stockLock} must have none, because hudilite does not write it. " +
      "Give all writers of stock Hudi hoodie.metadata.enable = false: the next write of one of them " +
      "deletes it. If none is at work: UNSET the property, write once, and SET it again."

  private val upgraded = "all, because stock Hudi has changed the table's version"

  /** Returns the detaching for a table. In table version 6, stock Hudi builds no metadata table while
    * a write is pending, so only a table that has one is watched.
    * @param config   properties of the table as it was opened
    * @param detached called after a metadata table was detached */
  def of(
      files: TimelineFiles,
      table: String,
      config: TableConfig,
      detached: () => Unit
  ): DetachMetadata = {
    val isWatched = config.version != TableVersion.Six || config.hasMetadataTable
    new DetachMetadata(files, table, isWatched, detached, config.hasStockLock)
  }
}
