package hudilite.commit

import hudilite.timeline.{CommitMetadata, DoneAction, Instant, TimelineFiles}

/** One instant of the active timeline with the content of its files.
  * @param instant         the instant in the latest state that it has reached
  * @param number          commit number, if it took one
  * @param requestedMillis time when its requested file appeared, by the storage's clock
  * @param completedMillis time when its completed file appeared
  * @param metadata        content of the completed file of a committed write */
final case class TimelineEntry(
    instant: Instant,
    number: Option[Long],
    requestedMillis: Option[Long],
    completedMillis: Option[Long],
    metadata: Option[CommitMetadata]
)

object TimelineEntry {

  /** Reads the latest instants of the active timeline, oldest first; writes nothing. A commit whose
    * completed file is not published yet counts as completed.
    * @param limit  most instants to read
    * @param wanted which instants to read, in the latest state that they have reached
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def load(
      files: TimelineFiles,
      limit: Int = Int.MaxValue,
      wanted: Instant => Boolean = _ => true
  ): Seq[TimelineEntry] = latest(files, wanted).take(limit).toVector.reverse

  /** Reads the instants as [[load]] does, latest first. The content of a commit is read when the
    * iterator comes to it.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def latest(
      files: TimelineFiles,
      wanted: Instant => Boolean = _ => true
  ): Iterator[TimelineEntry] = {
    val committed = Committed.load(files)
    val counted = committed.times.toSet
    def isCommitted(instant: Instant) = instant.isWrite && counted(instant.time)
    val numbers = numbersOf(files)
    val modified = files.list().map { case (instant, entry) =>
      (instant.time, DoneAction.completedAction(instant), instant.state) -> entry.modifiedMillis
    }.toMap
    committed.timeline.instants.groupBy(i =>
      (i.time, DoneAction.completedAction(i))
    ).values.toVector
      .map(states => states.find(_.state == Instant.Completed).getOrElse(states.last))
      .map(found =>
        if (isCommitted(found)) found.copy(state = Instant.Completed) else found
      )
      .filter(wanted)
      .sorted(files.layout.order)
      .reverseIterator
      .map { instant =>
        TimelineEntry(
          instant,
          numbers.get(instant.time).filter(_ => instant.isWrite),
          modified.get((instant.time, DoneAction.completedAction(instant), Instant.Requested)),
          modified.get((instant.time, DoneAction.completedAction(instant), Instant.Completed)),
          if (isCommitted(instant)) committed.metadata(files, instant.time)
          else None
        )
      }
  }

  /** Returns the commit numbers of the instants that have one.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def numbersOf(files: TimelineFiles): Map[String, Long] = {
    val numbers = new CommitNumbers(files)
    numbers.numbered(numbers.list())
  }
}
