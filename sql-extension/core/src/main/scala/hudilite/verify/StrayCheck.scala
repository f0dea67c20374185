package hudilite.verify

import hudilite.format.{BaseFileName, TableConfig}
import hudilite.io.{FileEntry, Storage}
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.SnapshotView

/** Check for files that belong to no snapshot. Readers ignore them, so they are no errors.
  * @param view     decides which files are committed
  * @param timeline timeline, read after the folders were listed: a write that has begun since the
  *                 snapshot was loaded is running, and its files are not stray
  * @param recorded returns the names of the files that an instant's commit lists, None if not known
  * Source: faults F38, F50, F54. */
private[verify] final class StrayCheck(
    config: TableConfig,
    view: SnapshotView,
    timeline: Timeline,
    recorded: String => Option[Set[String]]
) {
  private val active = timeline.instants.filter(_.isWrite).map(_.time).toSet

  def run(table: TimelineFiles, folders: Seq[Folder]): Seq[Finding] =
    folders.flatMap(folder => files(folder) ++ tooDeep(folder)) ++ markers(table)

  private def files(folder: Folder): Seq[Finding] = folder.files.flatMap { entry =>
    val place = folder.place(entry.name)
    BaseFileName.parse(entry.name) match {
      case Some(name) if Folder.mayHoldRows(folder, config) => ofInstant(place, name)
      case _ => Some(Finding.warning("STRAY_FILE", place, "it is not a base file of a partition"))
    }
  }

  private def ofInstant(place: String, name: BaseFileName): Option[Finding] =
    if (timeline.pending(name.instant) && !view.completed(name.instant))
      Some(StrayCheck.pending(place, name.instant))
    else stray(name).map(Finding.warning("STRAY_FILE", place, _))

  /** Returns why a base file belongs to no snapshot and to no write that may still commit; None if
    * it may belong to one. */
  def stray(name: BaseFileName): Option[String] =
    if (view.completed(name.instant))
      recorded(name.instant).filterNot(_(name.text)).map(_ =>
        s"commit ${name.instant} does not list it"
      )
    else if (view.isCommitted(name.instant) || active(name.instant)) None
    else Some(s"${name.instant} is not a committed instant")

  private def tooDeep(folder: Folder): Seq[Finding] =
    if (folder.isBottom)
      folder.folders.map { entry =>
        val place = folder.place(entry.name)
        Finding.warning("STRAY_FILE", place, "a folder where only base files are expected")
      }
    else Seq.empty

  private def markers(table: TimelineFiles): Seq[Finding] = {
    val folder = table.layout.markers
    table.storage.list(table.at(folder)).filter(isStray(table.storage, _)).map { entry =>
      Finding.warning(
        "STRAY_MARKERS",
        s"$folder/${entry.name}",
        s"markers of ${entry.name}, which is not pending"
      )
    }
  }

  private def isStray(storage: Storage, entry: FileEntry): Boolean =
    entry.isDirectory && !timeline.pending(entry.name) &&
      storage.list(entry.path).nonEmpty
}

private[verify] object StrayCheck {

  /** Returns the findings for stray log files. */
  def ofLogs(found: Seq[StrayLogs.Stray]): Seq[Finding] = found.map { stray =>
    val place = stray.file.place
    stray.pending.fold(Finding.warning("STRAY_FILE", place, stray.reason))(pending(place, _))
  }

  private def pending(place: String, instant: String): Finding = Finding.info(
    "PENDING_FILE",
    place,
    s"the write $instant is pending. If its writer is dead, delete the file with CALL " +
      s"rollback(table => '...', instant => '$instant')"
  )
}
