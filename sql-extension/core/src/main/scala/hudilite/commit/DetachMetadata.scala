package hudilite.commit

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.{ChangedTable, TableConfig, TableVersion}
import hudilite.io.Storage
import hudilite.timeline.{FilesPartition, PendingPlans, Timeline, TimelineFiles}

/** Detaches Hudi's metadata table from a table: empties the properties that name its partitions,
  * then deletes it. If the table says so, keeps its partition `files` up to date instead, see
  * [[KeepFiles]], and removes the others. Runs on the driver.
  *
  * Stock Hudi and hudi-rs read the metadata table instead of the folders. A commit that it lacks is
  * invisible to them, and stock Hudi's next write of the file group loses it. So each write detaches
  * or keeps it before it takes its commit number. Without it, readers list the folders, and stock
  * Hudi's next write builds it again.
  * @param table     name of the table in errors
  * @param isWatched whether the table may have a metadata table; if not, nothing is looked up unless
  *                  another program has committed
  * @param isShared  whether stock Hudi writes the table at the same time: then its metadata table must
  *                  be off or kept, and is never detached, see [[SharedMetadata]]
  * @param detached  called after a metadata table was detached, with the reason why it could not be
  *                  kept, if the table says that it is
  * Source: table-versions §0.3-0.5, §4.7, §5.6, §7.5. */
final class DetachMetadata(
    files: TimelineFiles,
    table: String,
    isWatched: Boolean,
    detached: Option[String] => Unit,
    isShared: Boolean = false
) {
  import DetachMetadata._

  private val storage = files.storage
  private val keep = new KeepFiles(files)
  private val shared = new SharedMetadata(files, keep)

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
  ): Unit = if (isWatched || isRequired) remove(checked(own), timeline, own)

  /** Does what [[before]] does, unless the table keeps its metadata table: then leaves it the
    * partition `files` alone.
    * @param isLate whether another write has taken the commit number meanwhile, and may be writing
    *               the metadata table now; then nothing is done
    * @return what the write must add to the metadata table; None if that is not kept
    * Errors: those of [[before]]; HUDILITE_UNSUPPORTED_TABLE if stock Hudi writes the table at the same
    * time, and the metadata table can be neither kept nor detached. */
  private[hudilite] def beforeKept(
      timeline: => Timeline,
      own: Set[String] = Set.empty,
      isRequired: Boolean = false,
      isLate: => Boolean = false
  ): Option[KeepFiles.Kept] =
    if (!(isWatched || isRequired)) None
    else {
      val config = checked(own)
      if (isShared) shared.before(config, timeline)
      else if (config.hasMetadataTable && config.keepsFiles) {
        PendingPlans.checkIndexing(files, timeline, config)
        keep.look(config, timeline) match {
          case Right(kept) if config.hasFilesOnly =>
            removeOthers()
            Some(kept)
          case Right(kept) =>
            files.replaceConfig(ChangedTable.filesOnly(config))
            removeOthers()
            if (isLate) detachKept("another write has changed it meanwhile")
            Some(kept)
          case Left(_) if isLate => None
          case Left(obstacle) =>
            detach(config, Some(obstacle.text))
            None
        }
      } else {
        remove(config, timeline, own)
        None
      }
    }

  /** Whether only stock Hudi can roll a write back, because it has begun in the metadata table as well,
    * which hudilite cannot detach. */
  private[commit] def isStocks(time: String): Boolean =
    isShared && stored().keepsFiles && keep.has(time)

  /** Detaches the metadata table before a write is rolled back. If the table keeps it, that is only
    * necessary if it contains the write.
    * Errors: those of [[before]]; HUDILITE_UNSUPPORTED_TABLE if it contains the write and cannot be
    * detached. */
  private[hudilite] def beforeRollback(timeline: => Timeline, time: String): Unit =
    if (isWatched) {
      val config = checked(Set(time))
      if (isShared) shared.beforeRollback(config, time)
      else if (!config.keepsFiles) remove(config, timeline, Set(time))
      else if (config.hasMetadataTable && keep.has(time))
        detach(config, Some(s"it contains the write $time, which was rolled back"))
    }

  /** Writes a commit into the metadata table that is kept, before the commit is published. Detaches
    * the metadata table if it cannot be written.
    * Errors: HUDILITE_UNSUPPORTED_TABLE if it can be neither written nor detached. */
  private[commit] def publish(record: CommitRecord): Unit =
    if (record.keepsFiles) keep.publish(record, isShared).foreach(notWritten)

  /** Writes what a clean has deleted into the metadata table that is kept. Detaches the metadata
    * table if it cannot be written.
    * Errors: those of [[publish]].
    * @param completion time at which the deltacommit is completed
    * @param deleted    names of the files by partition path */
  private[commit] def publishClean(
      instant: String,
      completion: String,
      deleted: Map[String, Seq[String]],
      kept: KeepFiles.Kept
  ): Unit = keep.publishClean(instant, completion, deleted, kept).foreach(notWritten)

  private def notWritten(reason: String): Unit =
    if (isShared) throw shared.refused(KeepFiles.Obstacle(reason)) else detachKept(reason)

  /** Detaches a metadata table that stock Hudi has built since [[before]], perhaps without the files
    * of the write. Under the lock of stock Hudi's writers, it contains the write.
    * @param isKept whether the write is in the partition `files`, so that a metadata table of this
    *               partition alone stays */
  private[hudilite] def after(isKept: Boolean = false): Unit = if (isWatched && !isShared) {
    val config = stored()
    if (config.hasMetadataTable && !(isKept && config.hasFilesOnly)) detach(config)
  }

  /** Returns what the table says about its metadata table, and whether that is there. */
  def status(): Status = {
    val config = stored()
    val exists = storage.status(folder).nonEmpty
    val isKept = config.keepsFiles && config.hasFilesOnly
    Status(
      config.metadataPartitions,
      config.metadataInflight,
      exists,
      isKept,
      if (isKept && exists) keep.blocks() else 0
    )
  }

  private def checked(own: Set[String]): TableConfig = {
    val config = stored()
    if (config.version.timelineLayout != files.layout.version)
      throw CommitLog.concurrent(table, upgraded, own.maxOption.getOrElse(""))
    if (config.hasStockLock != isShared)
      throw CommitLog.concurrent(table, lockChanged, own.maxOption.getOrElse(""))
    config
  }

  private def remove(config: TableConfig, timeline: => Timeline, own: Set[String]): Unit =
    if (isShared) shared.checkAbsent(config)
    else if (config.hasMetadataTable) {
      PendingPlans.checkIndexing(files, timeline, config)
      detach(config)
    } else if (storage.status(folder).nonEmpty && isAlone(timeline, own)) deleteFolder()

  /** Deletes the folders of other partitions than `files`, which the properties do not name any more. A
    * crash may have left some. */
  private def removeOthers(): Unit =
    deleteFolders(storage.names(folder).filterNot(Set(FilesPartition.name, files.layout.metadata)))

  private def detachKept(reason: String): Unit = {
    val config = stored()
    if (config.hasMetadataTable) detach(config, Some(reason))
  }

  private def isAlone(timeline: Timeline, own: Set[String]): Boolean =
    (timeline.pending -- own).isEmpty && PendingPlans.indexing(timeline).isEmpty

  private def detach(config: TableConfig, reason: Option[String] = None): Unit = {
    files.replaceConfig(ChangedTable.detached(config))
    deleteFolder()
    detached(reason)
  }

  /** Deletes the folder, those of indexes first that are found by their names. */
  private def deleteFolder(): Unit = {
    deleteFolders(storage.names(folder).filter(isFoundByName))
    storage.deleteTree(folder): Unit
  }

  /** Deletes folders of partitions. Stock Hudi finds secondary and expression indexes without looking
    * into the properties, so their folders are deleted first. */
  private def deleteFolders(names: Seq[String]): Unit =
    names.distinct.sortBy(!isFoundByName(_)).foreach(name =>
      storage.deleteTree(Storage.resolve(folder, name))
    )

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
    * @param exists     whether its folder is there
    * @param isKept     whether writes of hudilite keep it up to date
    * @param blocks     number of blocks that they have added since stock Hudi last compacted it */
  final case class Status(
      partitions: Seq[String],
      inflight: Seq[String],
      exists: Boolean,
      isKept: Boolean,
      blocks: Int
  )

  private val foundByName = Seq("secondary_index_", "expr_index_")

  /** Whether stock Hudi finds the folder of an index without looking into the properties. */
  private[commit] def isFoundByName(name: String): Boolean = foundByName.exists(name.startsWith)

  private val missing = "HUDILITE_MISSING_FILE"
  private val lockChanged = s"all, because ${TableConfig.Key.stockLock} was changed"

  private val upgraded = "all, because stock Hudi has changed the table's version"

  /** Returns the detaching for a table. In table version 6, stock Hudi builds no metadata table while
    * a write is pending, so only a table that has one is watched.
    * @param config   properties of the table as it was opened
    * @param detached called after a metadata table was detached, see [[DetachMetadata]] */
  def of(
      files: TimelineFiles,
      table: String,
      config: TableConfig,
      detached: Option[String] => Unit
  ): DetachMetadata = {
    val isWatched = config.version != TableVersion.Six || config.hasMetadataTable
    new DetachMetadata(files, table, isWatched, detached, config.hasStockLock)
  }
}
