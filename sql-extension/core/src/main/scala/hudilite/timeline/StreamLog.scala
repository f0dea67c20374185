package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** Which batches of one stream a table holds. Before a stream's first commit a file of its id in
  * `.hoodie/.hudilite/streams` notes the highest number of that moment: none of its commits has that
  * number or a lower one, so that nobody ever looks further back. Runs on the driver.
  * @param log    of the table
  * @param stream id of the streaming query; a file is named after it */
final class StreamLog(storage: Storage, basePath: Path, log: CommitLog, stream: String) {
  private val numbers = new CommitNumbers(storage, basePath)
  private val mark =
    Storage.resolve(Timeline.folder(basePath), s"${CommitNumbers.privateFolder}/streams/$stream")

  /** What the table holds now, for a run of the stream that begins.
    * Errors: HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE. */
  def begin(): StreamLog.Held = {
    if (storage.status(mark).isEmpty)
      storage.createNew(mark, CommitMetadata.bytes(numbers.list().highest.toString)): Unit
    val text = new String(storage.read(mark), UTF_8)
    val first = text.toLongOption.getOrElse(throw Timeline.corrupt(mark, s"$text is no number"))
    since(StreamLog.Held(None, first))
  }

  /** What the table holds now; reads the commits that have come since. */
  def since(held: StreamLog.Held): StreamLog.Held = {
    val highest = log.settle().highest
    StreamLog.Held(newest(highest, held.number, Set.empty).orElse(held.last), highest)
  }

  /** @param lost instants that a higher number aborts */
  @tailrec private def newest(number: Long, until: Long, lost: Set[String]): Option[Long] =
    if (number <= until) None
    else {
      val record = numbers.read(number)
      val batch = StreamBatch.in(record, stream, basePath).filter(_ => !lost(record.instant))
      val isAbort = record.kind == CommitRecord.Abort
      if (batch.nonEmpty) batch
      else newest(number - 1, until, if (isAbort) lost + record.instant else lost)
    }
}

object StreamLog {

  /** @param last   the latest batch that the table holds, if any
    * @param number the highest commit number that was looked at */
  final case class Held(last: Option[Long], number: Long)
}
