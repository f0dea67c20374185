package hudilite.spark.exec

import hudilite.error.HudiliteException
import hudilite.format.{BaseFileName, LogFileName}
import hudilite.spark.catalog.HudiliteTable
import hudilite.timeline.{FileGroupRef, Markers, Timeline, TimelineFiles}
import hudilite.view.TableSnapshot

/** File groups that pending writes of a table have begun to write, as their markers say (driver
  * side). A writer that is dead counts until it is rolled back.
  * @param byInstant file groups of each pending write, oldest first */
final case class PendingFiles(byInstant: Seq[(String, Seq[FileGroupRef])]) {
  private val byPartition = byInstant.flatMap { case (instant, refs) =>
    refs.map(ref => (ref, instant))
  }.groupBy(_._1.partition)

  def instants: Seq[String] = byInstant.map(_._1)

  /** Returns the pending writes that conflict with a file group.
    * @param refs references to the file group, all in one partition of the table */
  def conflicting(partition: String, refs: Seq[FileGroupRef]): Seq[String] =
    byPartition.getOrElse(partition, Nil).collect {
      case (ref, instant) if refs.exists(_.conflicts(ref)) => instant
    }.distinct.sorted
}

object PendingFiles {

  /** Reads the pending writes of a table.
    * @param snapshot writes that it shows are not pending */
  def of(table: HudiliteTable, snapshot: TableSnapshot): PendingFiles = {
    val files = table.timeline
    val pending = Timeline.load(files).pending -- snapshot.instants
    PendingFiles(pending.toSeq.sorted.flatMap { instant =>
      begun(files, instant).map(names => instant -> names.flatMap(refOf).distinct)
    })
  }

  /** Returns the files that a write has begun; None if it has ended since. */
  private def begun(files: TimelineFiles, instant: String): Option[Seq[String]] =
    try Some(Markers.dataFiles(files, instant))
    catch {
      case e: HudiliteException if e.condition == "HUDILITE_MISSING_FILE" => None
    }

  /** Returns the file group of a data file.
    * @param path relative to the table */
  private def refOf(path: String): Option[FileGroupRef] = {
    val name = BaseFileName.last(path)
    BaseFileName.parse(name).map(_.fileId)
      .orElse(LogFileName.parse(name).map(_.fileId))
      .map(FileGroupRef(BaseFileName.folder(path), _))
  }
}
