package hudilite.verify

import hudilite.format.{BaseFileName, TableConfig}
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.{FileSlice, TableSnapshot}

/** Base files that no commit lists and no running write may still list: left-overs of dead tasks
  * and writers.
  * Source: faults F50, F54. */
object Orphans {

  /** Base file that belongs to no commit.
    * @param slice          the file
    * @param reason         why no reader opens it
    * @param modifiedMillis last modification by the storage's clock, milliseconds since 1970 */
  final case class Orphan(slice: FileSlice, reason: String, modifiedMillis: Long)

  /** Returns the orphans of a table. Only base files in partitions count.
    * @param before upper limit of the last modification, exclusive, milliseconds since 1970; a
    *               newer file may belong to a running write
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def find(table: TimelineFiles, config: TableConfig, before: Long): Seq[Orphan] = {
    val snapshot = TableSnapshot.load(table, config)
    val folders =
      Folder.all(table.storage, table.basePath, config).filter(Folder.mayHoldRows(_, config))
    val check = new StrayCheck(config, snapshot.view, Timeline.load(table), snapshot.recorded)
    for {
      folder <- folders
      entry <- folder.files if entry.modifiedMillis < before
      name <- BaseFileName.parse(entry.name)
      reason <- check.stray(name)
    } yield Orphan(
      FileSlice.ofBase(folder.path, name.fileId, name.instant, entry.path, entry.length),
      reason,
      entry.modifiedMillis
    )
  }

  /** Deletes orphans.
    * @return orphans that were deleted
    * Errors: HUDILITE_PATH_INVALID if a symbolic link leads out of the table. */
  def remove(table: TimelineFiles, orphans: Seq[Orphan]): Seq[Orphan] = {
    orphans.map(_.slice.partition).distinct.foreach(table.storage.enter(table.basePath, _))
    table.storage.deleteAll(orphans)(_.slice.onlyBase.path)
  }
}
