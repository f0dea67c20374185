package hudilite.view

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.io.Storage
import hudilite.timeline.{Cleans, TimelineFiles}

/** Error for a file that a SQL statement planned to read and cannot open. */
object LostFile {

  /** Conditions of [[unopened]] which mean that the file is gone. */
  val conditions: Set[String] = Set("HUDILITE_MISSING_DATA_FILE", "HUDILITE_SNAPSHOT_EXPIRED")

  /** Returns the error for a base file that could not be opened. It reads the timeline to look for
    * the clean that deleted the file; opening a file never needs the timeline.
    * @param instant commit that wrote the file
    * @return HUDILITE_SNAPSHOT_EXPIRED if a clean of the table deleted it, otherwise the error of
    *         [[Storage.unopened]]
    * Source: faults F29. */
  def unopened(
      path: Path,
      instant: String,
      conf: Configuration,
      e: FileNotFoundException
  ): HudiliteException = {
    val fault = Storage.unopened(path, instant, conf, e)
    if (fault.condition != "HUDILITE_MISSING_DATA_FILE") fault
    else
      try cleaned(path, instant, conf, e).getOrElse(fault)
      catch {
        case NonFatal(why) =>
          fault.addSuppressed(why)
          fault
      }
  }

  /** Fails unless a log file that is gone may have been one of a write that was undone after it was
    * listed: in table version 6 its name does not tell whether the write is committed.
    * @param e the error of the storage
    * Errors: `e` if a commit lists the file, HUDILITE_SNAPSHOT_EXPIRED if a clean deleted it. */
  def checkUndone(log: LogFile, conf: Configuration, e: HudiliteException): Unit = {
    if (log.committed > 0) throw e
    cleaned(log.path, log.name.instant, conf, e).foreach(throw _)
  }

  private def cleaned(
      path: Path,
      instant: String,
      conf: Configuration,
      e: Throwable
  ): Option[HudiliteException] =
    for {
      table <- tableOf(path, conf)
      files = TimelineFiles.of(Storage.of(table, conf), table)
      retention <- new Cleans(files).retentionOfCleanOf(path.getName, instant)
    } yield new HudiliteException(
      "HUDILITE_SNAPSHOT_EXPIRED",
      Map(
        "table" -> table.toString,
        "version" -> "the start of this statement",
        "file" -> path.getName,
        "instant" -> instant,
        "retention" -> retention
      ),
      e
    )

  /** Returns the table that contains a path. A bootstrap source file usually belongs to no
    * table. */
  private def tableOf(path: Path, conf: Configuration): Option[Path] = {
    val storage = Storage.of(path, conf)
    Iterator
      .iterate(Option(path.getParent))(_.flatMap(folder => Option(folder.getParent)))
      .takeWhile(_.nonEmpty)
      .flatten
      .find(TimelineFiles.isTable(storage, _))
  }
}
