package hudilite.timeline

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException

/** Batch of a stream that a write puts into a table, exactly once.
  * @param stream id of the streaming query, which is stored in its checkpoint
  * @param batch  number of the batch in that query, from 0; a repeated batch has the same number
  * @param after  highest commit number at a moment when no commit contained the batch */
final case class StreamBatch(stream: String, batch: Long, after: Long) {

  /** Returns the entries of extraMetadata that identify the batch. */
  def extra: Map[String, String] =
    Map(StreamBatch.streamKey -> stream, StreamBatch.batchKey -> batch.toString)

  /** Fails if a commit already contains the batch or a later one.
    * @param table  name of the table in errors
    * @param rivals commits since `after`
    * Errors: HUDILITE_STREAM_STOPPED. */
  private[timeline] def check(table: String, basePath: Path, rivals: Seq[CommitRecord]): Unit =
    rivals.find(StreamBatch.in(_, stream, basePath).exists(_ >= batch)).foreach { rival =>
      throw HudiliteException(
        "HUDILITE_STREAM_STOPPED",
        "table" -> table,
        "reason" -> s"another run of query $stream has written batch $batch, as ${rival.instant}",
        "fix" -> "Let only one run go on."
      )
    }
}

object StreamBatch {
  val streamKey = "hudilite.stream"
  val batchKey = "hudilite.stream.batch"

  /** Returns the batch of a stream that a commit contains, or None if it is not a commit of that
    * stream.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  private[timeline] def in(record: CommitRecord, stream: String, basePath: Path): Option[Long] =
    record.metadata
      .filter(json => record.kind == CommitRecord.Commit && json.contains(stream))
      .map { json =>
        CommitMetadata.parse(CommitMetadata.bytes(json), record.completed.path(basePath)).extra
      }
      .filter(_.get(streamKey).contains(stream))
      .flatMap(_.get(batchKey))
      .flatMap(_.toLongOption)
}
