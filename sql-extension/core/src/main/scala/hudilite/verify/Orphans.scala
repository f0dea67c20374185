package hudilite.verify

import hudilite.format.{BaseFileName, TableConfig}
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.{DataFile, TableSnapshot}

/** Base and log files that no commit lists and no running write may still list: left-overs of dead
  * tasks and writers.
  * Source: faults F50, F54. */
object Orphans {

  /** File that belongs to no commit.
    * @param reason why no reader opens it */
  final case class Orphan(file: DataFile, reason: String)

  /** Returns the orphans of a table. Only base and log files in partitions count.
    * @param before upper limit of the last modification, exclusive, milliseconds since 1970; a
    *               newer file may belong to a running write
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def find(table: TimelineFiles, config: TableConfig, before: Long): Seq[Orphan] = {
    val snapshot = TableSnapshot.load(table, config)
    val folders =
      Folder.all(table.storage, table.basePath, config).filter(Folder.mayHoldRows(_, config))
    val timeline = Timeline.load(table)
    val check = new StrayCheck(config, snapshot.view, timeline, snapshot.recorded(_))
    val bases = for {
      folder <- folders
      file <- DataFile.all(folder.files, folder.path)
      name <- BaseFileName.parse(file.fileName)
      reason <- check.stray(name)
    } yield Orphan(file, reason)
    (bases ++ logs(table, config, snapshot, timeline, folders))
      .filter(_.file.modifiedMillis < before)
  }

  private def logs(
      table: TimelineFiles,
      config: TableConfig,
      snapshot: TableSnapshot,
      timeline: Timeline,
      folders: Seq[Folder]
  ): Seq[Orphan] =
    if (!config.mayHaveLogs) Nil
    else
      new StrayLogs(table, config, snapshot, timeline).of(folders.flatMap(_.logs))
        .filter(_.pending.isEmpty).map(stray => Orphan(stray.file, stray.reason))

  /** Deletes orphans.
    * @return orphans that were deleted
    * Errors: HUDILITE_PATH_INVALID if a symbolic link leads out of the table. */
  def remove(table: TimelineFiles, orphans: Seq[Orphan]): Seq[Orphan] = {
    orphans.map(_.file.partition).distinct.foreach(table.storage.enter(table.basePath, _))
    table.storage.deleteAll(orphans)(_.file.path)
  }
}
