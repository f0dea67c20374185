package hudilite.commit

import java.nio.charset.StandardCharsets.UTF_8

import scala.annotation.tailrec

import hudilite.timeline.{Timeline, TimelineFiles}

/** Log of the batches of one stream that a table contains. Before the first commit of a stream, a
  * file named by its id in the folder of streams stores the highest commit number of that moment.
  * No commit of the stream has that number or a lower one, so it is never necessary to search
  * further back. Runs on the driver.
  * @param log    commit log of the table
  * @param stream id of the streaming query, and name of that file */
final class StreamLog(files: TimelineFiles, log: CommitLog, stream: String) {
  private val storage = files.storage
  private val numbers = new CommitNumbers(files)
  private val mark = files.at(s"${files.layout.streams}/$stream")

  /** Reads the latest batch in the table, when a run of the stream begins.
    * Errors: HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE. */
  def begin(): StreamLog.Held = {
    if (storage.status(mark).isEmpty)
      storage.createNew(mark, numbers.list().highest.toString.getBytes(UTF_8)): Unit
    val text = new String(storage.read(mark), UTF_8)
    val first = text.toLongOption.getOrElse(throw Timeline.corrupt(mark, s"$text is not a number"))
    since(StreamLog.Held(None, first))
  }

  /** Updates an earlier result; reads only the commits since then. */
  def since(held: StreamLog.Held): StreamLog.Held = {
    val highest = log.settle().highest
    StreamLog.Held(newest(highest, held.number, Set.empty).orElse(held.last), highest)
  }

  /** Searches for the latest batch, from number `number` down to `until` + 1.
    * @param lost instants that a higher number aborts */
  @tailrec private def newest(number: Long, until: Long, lost: Set[String]): Option[Long] =
    if (number <= until) None
    else {
      val record = numbers.read(number)
      val batch = StreamBatch.in(record, stream, files).filter(_ => !lost(record.instant))
      val isAbort = record.kind == CommitRecord.Abort
      if (batch.nonEmpty) batch
      else newest(number - 1, until, if (isAbort) lost + record.instant else lost)
    }
}

object StreamLog {

  /** Result of reading the log.
    * @param last   the latest batch in the table, if any
    * @param number the highest commit number that was read */
  final case class Held(last: Option[Long], number: Long)
}
