package hudilite.commit

import hudilite.format.BucketCounts
import hudilite.timeline.{FileGroupRef, Instant, TimelineFiles}

/** Change of the numbers of buckets of a table by a commit number. From that number on, no write that
  * was planned for other numbers of buckets gets one. Runs on the driver.
  * Source: decision 0027. */
private[hudilite] object CountsDecision {

  /** Takes the number that decides a change.
    * @return false if the number is taken */
  def take(files: TimelineFiles, number: Long, counts: BucketCounts, writer: String): Boolean = {
    val numbers = new CommitNumbers(files)
    val instant = Instant.ofCounts(counts)
    val record = CommitRecord(
      CommitRecord.Rescaled,
      instant,
      Instant.commit,
      writer,
      Set(FileGroupRef.wholeTable),
      None
    )
    val isTaken = numbers.create(number, record)
    if (isTaken) numbers.hint(number, instant)
    isTaken
  }

  /** Returns the numbers of buckets after the last change up to a number, by the hints of the
    * numbers. */
  private[commit] def at(hints: Map[Long, String], number: Long): Option[BucketCounts] =
    changes(hints).filter(_._1 <= number).maxByOption(_._1).map(_._2)

  /** Returns the number of buckets before the first change, by the hints of all numbers: a change
    * keeps it until the rows are in other buckets.
    * @param number highest number of the state, which is before the change */
  private[commit] def before(hints: Map[Long, String], number: Long): Option[BucketCounts] =
    changes(hints).filter(_._1 > number).minByOption(_._1).map(of => BucketCounts.of(of._2.own))

  private def changes(hints: Map[Long, String]): Iterator[(Long, BucketCounts)] =
    hints.iterator.flatMap { case (n, time) => Instant.countsOf(time).map(n -> _) }
}
