package hudilite.lock

import scala.util.Try

import org.apache.hadoop.fs.Path

import hudilite.timeline.TimelineFiles

/** Heartbeats of writes as stock Hudi has them: an empty file for each pending write, which its writer
  * writes again and again. Stock Hudi rolls a pending write back if its file is older than two minutes,
  * or absent. The storage's clock dates the file.
  * @param clock milliseconds since 1970
  * Source: table-versions §1.13. */
private[hudilite] final class Heartbeats(files: TimelineFiles, clock: () => Long) {
  import Heartbeats._

  /** Starts the heartbeat of a write. Its file exists when this returns. */
  def start(instant: String): Heartbeat = {
    files.storage.touch(path(instant))
    val repeated = Repeated.every(s"hudilite-heartbeat-$instant", pauseMillis) { () =>
      files.storage.touch(path(instant))
    }
    new Heartbeat {
      def stop(): Unit = repeated.close()
      def end(): Unit = {
        stop()
        delete(instant)
      }
    }
  }

  /** Whether the writer of an instant is alive. */
  def isAlive(instant: String): Boolean =
    files.storage.status(path(instant)).exists(clock() - _.modifiedMillis <= staleMillis)

  /** Deletes the file of a write that is done or rolled back. What is left does no harm. */
  def delete(instant: String): Unit = Try(files.storage.delete(path(instant))): Unit

  private def path(instant: String): Path = files.at(s"${files.layout.metadata}/$folder/$instant")
}

private[hudilite] object Heartbeats {
  private val folder = ".heartbeat"

  /** Stock Hudi writes the file each minute, and takes it for stale after two. */
  private val pauseMillis = 30000L
  private val staleMillis = 120000L
}

/** Heartbeat of one write. */
private[hudilite] trait Heartbeat {

  /** Stops it and leaves its file, which gets stale. */
  def stop(): Unit

  /** Stops it and deletes its file. */
  def end(): Unit
}

private[hudilite] object Heartbeat {

  /** Heartbeat of a write that has none. */
  val none: Heartbeat = new Heartbeat {
    def stop(): Unit = ()
    def end(): Unit = ()
  }
}
