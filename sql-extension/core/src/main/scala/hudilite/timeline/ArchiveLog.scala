package hudilite.timeline

import java.time.ZoneId

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path

import hudilite.io.{FileEntry, Storage}

/** Archive of table version 6: log files with an entry for each state of each archived instant. A
  * new file is added for each batch, and none is changed.
  * @param folder folder of the log files
  * @param zone   zone in which the timeline names its instants
  * Source: hudi-format §3.13. */
private[timeline] final class ArchiveLog(files: TimelineFiles, folder: Path, zone: ZoneId)
    extends TimelineArchive {
  import ArchiveLog._

  private val storage = files.storage

  override def isEmpty: Boolean = !storage.names(folder).exists(numberOf(_).nonEmpty)

  /** Reads the newest files, until one has only older writes. */
  override def writes(after: String, before: String): Iterator[String] =
    storage.list(folder).filter(entry => numberOf(entry.name).nonEmpty)
      .sortBy(entry => numberOf(entry.name).map(-_)).iterator
      .map(writesIn)
      .takeWhile(times => times.isEmpty || times.exists(after < _))
      .flatten
      .filter(time => after < time && time < before)

  private def writesIn(entry: FileEntry): Vector[String] =
    recordsIn(entry).flatMap(ArchivedEntry.write).toVector

  private def recordsIn(entry: FileEntry) =
    AvroLog.records(storage.readListed(entry.path, entry.length, Storage.maxArrayBytes))

  @tailrec override def add(actions: Seq[DoneAction]): Unit = {
    val last = storage.names(folder).flatMap(numberOf).maxOption
    val known = keysIn(last)
    val states = actions.flatMap(_.files).filterNot(s => known(ArchivedEntry.keyOf(s._1)))
    if (states.nonEmpty && !storage.createNew(fileOf(last.getOrElse(0) + 1), bytesOf(states)))
      add(actions) // another process has added a file
  }

  private def bytesOf(states: Seq[(Instant, FileEntry)]): Array[Byte] = {
    val records = states.map { case (instant, entry) =>
      ArchivedEntry.record(files, instant, entry, files.read(instant), zone)
    }
    val bySchema = records.groupBy(_.getSchema)
    AvroLog.bytes(records.map(_.getSchema).distinct.flatMap(bySchema)) // few schemas, few blocks
  }

  /** Returns the states that the newest file contains. An archival that stopped before it had deleted
    * the instants' files has added them there. */
  private def keysIn(last: Option[Int]): Set[ArchivedEntry.Key] = last.toSeq
    .flatMap(n => storage.list(folder).filter(e => numberOf(e.name).contains(n)))
    .flatMap(recordsIn)
    .flatMap(ArchivedEntry.keyOf(_))
    .toSet

  private def fileOf(n: Int): Path = Storage.resolve(folder, s".commits_.archive.${n}_1-0-1")
}

private object ArchiveLog {
  private val name = "\\.commits_\\.archive\\.([0-9]+)(_.*)?".r

  private def numberOf(file: String): Option[Int] = file match {
    case name(n, _*) => n.toIntOption
    case _ => None
  }
}
