package hudilite.verify

import hudilite.format.{BaseFileName, LogFileName, TableConfig}
import hudilite.timeline.{FilesPartition, Instant, Timeline, TimelineFiles}
import hudilite.view.SnapshotView

/** Check of the list of files in Hudi's metadata table against the folders. Readers of stock Hudi and
  * hudi-rs take the list instead of the folders. Only for a table that keeps it up to date.
  * @param view decides which files are committed
  * Source: table-versions §0.3, §4.4. */
private[verify] final class ListingCheck(table: TimelineFiles, view: SnapshotView) {
  private val partition = new FilesPartition(table)
  private val place = s"${table.layout.metadataTable}/${FilesPartition.name}"

  /** @param folders the folders of the table
    * @param current paths of the files that readers of the latest snapshot open, relative to the
    *                table */
  def run(config: TableConfig, folders: Seq[Folder], current: Set[String]): Seq[Finding] =
    if (!config.keepsFiles || !config.metadataPartitions.contains(FilesPartition.name)) Nil
    else {
      val found = for {
        timeline <- Finding.attempt(damaged)(Timeline.named(table))
        listed <- Finding.attempt(damaged)(partition.listing(timeline))
      } yield compare(timeline, byPlace(listed), thereOf(folders), current)
      found.fold(Seq(_), identity)
    }

  private def damaged(reason: String): Finding = Finding.error(
    "METADATA_TABLE_DAMAGED",
    place,
    s"the list of files cannot be read: $reason. Remove it with CALL metadata_table(table => " +
      "'...', action => 'detach')"
  )

  private def byPlace(listed: Map[String, Map[String, Long]]): Map[String, Long] = for {
    (folder, files) <- listed
    (name, length) <- files if instantOf(name).nonEmpty
  } yield BaseFileName.place(folder, name) -> length

  private def thereOf(folders: Seq[Folder]): Map[String, Long] =
    folders.flatMap(f =>
      f.files.map(e => f.place(e.name) -> e.length) ++ f.logs.map(log => log.place -> log.length)
    ).toMap

  private def compare(
      timeline: Timeline,
      listed: Map[String, Long],
      there: Map[String, Long],
      current: Set[String]
  ): Seq[Finding] = {
    val pending = timeline.instants.filter(_.state != Instant.Completed).map(_.time).toSet --
      timeline.completedTimes
    def isPending(file: String) = instantOf(file).exists(pending)
    val missing = current.toSeq.filter(file => !listed.contains(file) && !isPending(file)).map(
      file => finding(file, "readers with a metadata table do not see this file")
    )
    val wrong = listed.toSeq.flatMap { case (file, length) =>
      there.get(file) match {
        case None => Some(finding(file, "the metadata table lists this file, which does not exist"))
        case Some(bytes) if bytes != length =>
          Some(finding(file, s"the metadata table lists it with $length bytes, but it has $bytes"))
        case Some(_) if !instantOf(file).exists(view.isCommitted) && !isPending(file) =>
          Some(finding(file, "the metadata table lists this file, which is not committed"))
        case Some(_) => None
      }
    }
    missing ++ wrong
  }

  private def instantOf(file: String): Option[String] = {
    val name = BaseFileName.last(file)
    BaseFileName.parse(name).map(_.instant).orElse(LogFileName.parse(name).map(_.instant))
  }

  private def finding(file: String, detail: String): Finding =
    Finding.error("METADATA_TABLE_DIFFERS", file, detail)
}
