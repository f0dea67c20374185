package hudilite.spark.write

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path

import hudilite.format.{BaseFileName, LogFileName}
import hudilite.io.Storage
import hudilite.timeline.Markers
import hudilite.view.FileSlice

/** Log file that a task attempt adds to a slice under a pending instant (task side). In table version
  * 6 its name contains the instant of the slice, and a number that no other log file of the slice
  * has; later, that of the write. Its marker is there before it, and from then on the attempt guards it.
  *
  * @param slice slice that the log file belongs to
  * Source: merge-on-read §2, §8.2 */
final class NewLogFile(
    write: PendingWrite,
    storage: Storage,
    attempt: TaskAttempt,
    slice: FileSlice
) {
  private val base = new Path(write.basePath)
  private val timeline = write.timeline(storage)
  private val isOfSlice = !write.layout.namesCompletion
  private val kind = if (isOfSlice) Markers.Append else Markers.Create

  /** Instant that the name contains. */
  val instant: String = if (isOfSlice) slice.instant else write.instant

  /** Creates the file with its content if this attempt may commit, and makes it durable.
    * @return its name
    * Errors: HUDILITE_WRITE_ROLLED_BACK. */
  def create(content: Array[Byte]): LogFileName = {
    attempt.checkAlive()
    storage.enter(base, slice.partition)
    attempt.checkMayCommit()
    val (name, file) = created(LogFileName.nextVersion(own.map(_.name)), content)
    NewDataFile.seal(write, storage, Seq(file))
    name
  }

  /** Log files of the slice whose names contain the instant. */
  private def own = slice.logs.filter(_.name.instant == instant)

  /** Creates the file under the first number from `version` on that is free. */
  @tailrec private def created(
      version: Int,
      content: Array[Byte]
  ): (LogFileName, NewDataFile.Closed) = {
    val name = LogFileName(slice.fileId, instant, version, attempt.writeToken)
    val path = Storage.resolve(base, BaseFileName.place(slice.partition, name.text))
    val marker = Markers.path(timeline, write.instant, slice.partition, name.text, kind)
    Markers.create(timeline, write.instant, slice.partition, name.text, kind)
    if (storage.createNew(path, content)) {
      val file = NewDataFile.Closed(path, marker)
      attempt.guard(path, NewDataFile.deletion(storage, file))
      (name, file)
    } else {
      storage.delete(marker): Unit
      created(version + 1, content)
    }
  }
}
