package hudilite.commit

import hudilite.error.HudiliteException
import hudilite.timeline.{CommitMetadata, TimelineFiles}

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
  private[commit] def check(
      table: String,
      files: TimelineFiles,
      rivals: Seq[CommitRecord]
  ): Unit =
    rivals.find(StreamBatch.in(_, stream, files).exists(_ >= batch)).foreach { rival =>
      throw HudiliteException(
        "HUDILITE_STREAM_STOPPED",
        "table" -> table,
        "reason" -> s"another run of query $stream wrote batch $batch as commit ${rival.instant}",
        "fix" -> "Stop all runs of this query but one."
      )
    }
}

object StreamBatch {
  val streamKey = "hudilite.stream"
  val batchKey = "hudilite.stream.batch"

  /** Returns the batch of a stream that a commit contains, or None if it is not a commit of that
    * stream.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  private[commit] def in(
      record: CommitRecord,
      stream: String,
      files: TimelineFiles
  ): Option[Long] =
    record.metadata
      .filter(json => record.kind == CommitRecord.Commit && json.contains(stream))
      .map(CommitMetadata.ofJson(_, files.path(record.shown(files.layout))).extra)
      .filter(_.get(streamKey).contains(stream))
      .flatMap(_.get(batchKey))
      .flatMap(_.toLongOption)
}
