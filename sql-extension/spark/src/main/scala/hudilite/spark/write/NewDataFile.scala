package hudilite.spark.write

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.{DataFileWriter, Storage}
import hudilite.timeline.Markers

/** Base file or skeleton that a task attempt creates under a pending instant (task side): its
  * marker, its bytes and its end. Nothing is created before `writer` is called.
  *
  * The order is the protocol: the attempt is alive, the partition folder exists, the marker exists,
  * the file is written, the attempt may commit, the file is closed, `seal` makes it durable and
  * checks that the instant is still pending. From the marker on, the attempt guards the file: a
  * failure deletes it in every state, half written or sealed.
  *
  * @param partition  relative partition path
  * @param isFirst    whether the file starts its file group
  * @param start      opens the writer of the file's bytes
  * Source: hudi-format §3.12 */
final class NewDataFile[W <: DataFileWriter](
    write: PendingWrite,
    storage: Storage,
    attempt: TaskAttempt,
    partition: String,
    fileId: String,
    isFirst: Boolean
)(start: Path => W) {
  import NewDataFile.Closed

  val name: String = BaseFileName(fileId, attempt.writeToken, write.instant).text

  private val base = new Path(write.basePath)
  val path: Path = Storage.resolve(Storage.resolve(base, partition), name)
  private val timeline = write.timeline(storage)
  private val kind = if (isFirst) Markers.Create else Markers.Merge
  private var begun = false // a killed attempt may have created the file before it has the writer
  private var opened = Option.empty[W]

  /** Writer of the file; the first call creates the marker and the file. */
  def writer: W = opened.getOrElse {
    attempt.checkAlive()
    storage.enter(base, partition)
    begun = true
    attempt.guard(path, () => discard())
    Markers.create(timeline, write.instant, partition, name, kind)
    val of = start(path)
    opened = Some(of)
    of
  }

  /** Completes the file if this attempt may commit. It counts only after `NewDataFile.seal`. */
  def close(): Closed = {
    attempt.checkMayCommit()
    opened.foreach(_.close())
    if (begun) attempt.guard(path, NewDataFile.deletion(storage, closed))
    closed
  }

  /** Length of the closed file in bytes, as it was written: the commit compares it with the file. */
  def length: Long = opened.fold(0L)(_.length)

  /** Gives the file up while the attempt goes on: deletes it and its marker, complete or not. */
  def abandon(): Unit = {
    discard()
    attempt.release(path)
  }

  private def discard(): Unit = if (begun) {
    opened.foreach(_.abandon())
    closed.delete(storage)
    opened = None
    begun = false
  }

  private def closed =
    Closed(path, Markers.path(timeline, write.instant, partition, name, kind))
}

object NewDataFile {

  /** A data file that is closed, with its marker. */
  final case class Closed(path: Path, marker: Path) {
    private[NewDataFile] def delete(storage: Storage): Unit = {
      storage.delete(path)
      storage.delete(marker): Unit
    }
  }

  /** Returns a function that deletes a closed file and keeps neither writer nor buffers alive. */
  private[write] def deletion(storage: Storage, file: Closed): () => Unit =
    () => file.delete(storage)

  /** Makes closed files durable. They are deleted when their write was rolled back.
    * @throws HudiliteException HUDILITE_WRITE_ROLLED_BACK */
  def seal(write: PendingWrite, storage: Storage, files: Seq[Closed]): Unit = {
    storage.fsyncAll(files.map(_.path))
    try write.checkOpen(storage)
    catch {
      case e: HudiliteException =>
        files.foreach(_.delete(storage))
        throw e
    }
  }
}
