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
  * checks that the instant is still pending. `discard` removes the file in every state, half
  * written ones included.
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
    Markers.create(timeline, write.instant, partition, name, kind)
    val of = start(path)
    opened = Some(of)
    of
  }

  /** Completes the file if this attempt may commit. It counts only after `NewDataFile.seal`. */
  def close(): Closed = {
    attempt.checkMayCommit()
    opened.foreach(_.close())
    closed
  }

  /** Length of the closed file in bytes. */
  def length: Long = storage.status(path).fold(0L)(_.length)

  /** Deletes the file and its marker, complete or not. */
  def discard(): Unit = if (begun) {
    opened.foreach(_.abandon())
    closed.delete(storage)
    opened = None
    begun = false
  }

  /** Function that deletes the file as it is now and keeps neither writer nor buffers alive. */
  def deletion: () => Unit = NewDataFile.deletion(storage, if (begun) Some(closed) else None)

  private def closed =
    Closed(path, Markers.path(timeline, write.instant, partition, name, kind))
}

object NewDataFile {

  /** A data file that is closed, with its marker. */
  final case class Closed(path: Path, marker: Path) {
    def delete(storage: Storage): Unit = {
      storage.delete(path)
      storage.delete(marker): Unit
    }
  }

  private def deletion(storage: Storage, file: Option[Closed]): () => Unit =
    () => file.foreach(_.delete(storage))

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
