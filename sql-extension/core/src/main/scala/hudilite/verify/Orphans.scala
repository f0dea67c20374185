package hudilite.verify

import org.apache.hadoop.fs.Path

import hudilite.format.{BaseFileName, TableConfig}
import hudilite.io.Storage
import hudilite.timeline.Timeline
import hudilite.view.{FileSlice, TableSnapshot}

/** Base files that no write has listed or may still list: what dead tasks and writers left.
  * Source: faults F50, F54. */
object Orphans {

  /** @param slice          the file
    * @param reason         why nobody reads it
    * @param modifiedMillis last change by the storage's clock, milliseconds since 1970 */
  final case class Orphan(slice: FileSlice, reason: String, modifiedMillis: Long)

  /** Those of a table; other files than base files in partitions are none.
    * @param before last change, milliseconds since 1970; younger ones may be of a write that is at
    *               work
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def find(storage: Storage, basePath: Path, config: TableConfig, before: Long): Seq[Orphan] = {
    val snapshot = TableSnapshot.load(storage, basePath, config)
    val folders = Folder.all(storage, basePath, config).filter(Folder.mayHoldRows(_, config))
    val check = new StrayCheck(
      config,
      snapshot.view,
      Timeline.load(storage, basePath),
      snapshot.recorded
    )
    for {
      folder <- folders
      entry <- folder.files if entry.modifiedMillis < before
      name <- BaseFileName.parse(entry.name)
      reason <- check.stray(name)
    } yield Orphan(
      FileSlice(folder.path, name.fileId, name.instant, entry.path, entry.length),
      reason,
      entry.modifiedMillis
    )
  }

  /** Deletes orphans.
    * @return those that went
    * Errors: HUDILITE_PATH_INVALID where a symbolic link leads out of the table. */
  def remove(storage: Storage, basePath: Path, orphans: Seq[Orphan]): Seq[Orphan] = {
    orphans.map(_.slice.partition).distinct.foreach(storage.enter(basePath, _))
    orphans.filter(orphan => storage.delete(orphan.slice.path))
  }
}
