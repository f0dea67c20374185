package hudilite.commit

import hudilite.format.{BaseFileName, LogFileBlocks, LogFileName, LogInstants}
import hudilite.io.Storage
import hudilite.timeline.{Markers, TimelineFiles}

/** Log files of a pending write. In table version 6 the name of a log file does not contain its
  * instant: the markers name the candidates, and the blocks tell whose they are, because another
  * writer may have taken the name first.
  * Source: merge-on-read §2, §3.3. */
private[commit] final class OwnLogs(files: TimelineFiles, instant: String) {
  private val storage = files.storage

  /** Whether the name of a file shows that the write made it. */
  def isNamed(file: String): Boolean = files.layout.namesCompletion &&
    LogFileName.parse(BaseFileName.last(file)).exists(_.instant == instant)

  /** Returns the log files whose names do not show it, relative to the table.
    * @param known log files that are left out, without a look into them */
  def marked(known: Set[String]): Seq[String] =
    if (files.layout.namesCompletion) Nil
    else
      Markers.dataFiles(files, instant).distinct.filter { file =>
        !known(file) && LogFileName.parse(BaseFileName.last(file)).nonEmpty && isOwn(file)
      }

  private def isOwn(file: String): Boolean = storage.status(files.at(file)).exists { found =>
    val bytes = storage.readListed(found.path, found.length, Storage.maxArrayBytes)
    val in = LogInstants.of(LogFileBlocks.read(bytes, file))
    in.written(instant) && in.besides(instant).isEmpty
  }
}
