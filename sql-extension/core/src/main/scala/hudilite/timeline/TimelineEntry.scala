package hudilite.timeline

import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** One instant of the active timeline and what its files say of it.
  * @param instant         in the furthest state it has reached
  * @param number          commit number, where it took one
  * @param requestedMillis when its requested file appeared, by the storage's clock
  * @param completedMillis when its completed file appeared
  * @param metadata        what a committed write says that it wrote */
final case class TimelineEntry(
    instant: Instant,
    number: Option[Long],
    requestedMillis: Option[Long],
    completedMillis: Option[Long],
    metadata: Option[CommitMetadata]
)

object TimelineEntry {

  /** Every instant of the active timeline, oldest first; reading it writes nothing. A commit whose
    * completed file is still to be published counts as completed.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def load(storage: Storage, basePath: Path): Seq[TimelineEntry] = {
    val committed = Committed.load(storage, basePath)
    val numbers = numbersOf(storage, basePath)
    val modified =
      storage.list(Timeline.folder(basePath)).map(f => f.name -> f.modifiedMillis).toMap
    committed.timeline.instants.groupBy(i => (i.time, i.action)).values.toVector
      .map(_.last)
      .map(found =>
        if (isCommitted(committed, found)) found.copy(state = Instant.Completed) else found
      )
      .sorted(Instant.order)
      .map { instant =>
        TimelineEntry(
          instant,
          numbers.get(instant.time).filter(_ => instant.isWrite),
          modified.get(instant.copy(state = Instant.Requested).fileName),
          modified.get(instant.copy(state = Instant.Completed).fileName),
          if (isCommitted(committed, instant)) committed.metadata(storage, basePath, instant.time)
          else None
        )
      }
  }

  private def isCommitted(committed: Committed, instant: Instant): Boolean =
    instant.isWrite && committed.times.contains(instant.time)

  private def numbersOf(storage: Storage, basePath: Path): Map[String, Long] = {
    val numbers = new CommitNumbers(storage, basePath)
    numbers.numbered(numbers.list())
  }
}
