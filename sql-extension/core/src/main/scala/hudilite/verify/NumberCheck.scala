package hudilite.verify

import hudilite.commit.{CommitNumbers, CommitRecord}
import hudilite.timeline.{Timeline, TimelineFiles}

/** Check of the numbered commits.
  * @param unpublished instants of the highest number, if its completed file is still missing
  * Source: design D10. */
private[verify] final class NumberCheck(
    val findings: Seq[Finding],
    val unpublished: Seq[String]
)

private[verify] object NumberCheck {
  private val few = 10

  /** Runs the check.
    * @param timeline instants that have a file */
  def run(files: TimelineFiles, timeline: Timeline): NumberCheck = {
    val numbers = new CommitNumbers(files)
    val found = numbers.found()
    val (there, hints) = (found.numbers.toSeq.sorted, found.hints)
    val records = there.map { n =>
      n -> Finding.attempt(Finding.error("NUMBER_DAMAGED", numbers.place(n), _))(numbers.read(n))
    }
    val known = records.flatMap(r => r._2.toOption.map(r._1 -> _))
    val open = known.lastOption.filter(_._1 == there.last)
      .filter(r => r._2.completed(files.layout).nonEmpty && isOpen(r._2, timeline))
    new NumberCheck(
      records.flatMap(_._2.left.toOption) ++ gaps(there, hints.keySet, numbers) ++
        known.flatMap(r => mismatch(numbers.place(r._1), r._2, hints.get(r._1))) ++
        open.map(r => unpublished(numbers.place(r._1), r._2)),
      open.toSeq.flatMap(_._2.instants)
    )
  }

  private def gaps(
      there: Seq[Long],
      hinted: Set[Long],
      numbers: CommitNumbers
  ): Seq[Finding] = {
    val ends = (0L +: there :+ ((there ++ hinted).maxOption.getOrElse(0L) + 1)).distinct
    val between = ends.zip(ends.drop(1)).map { case (one, next) => (one + 1, next - 1) }
    // A few may have been created during the listing.
    def isMadeMeanwhile(first: Long, last: Long) =
      last - first < few && (first to last).forall(numbers.exists)
    between.filter { case (first, last) =>
      first <= last && !isMadeMeanwhile(first, last)
    }.map { case (first, last) =>
      val range = if (first == last) "" else s", nor do the numbers up to $last"
      Finding.error("NUMBER_MISSING", numbers.place(first), s"the number does not exist$range")
    }
  }

  private def mismatch(
      place: String,
      record: CommitRecord,
      hinted: Option[String]
  ): Option[Finding] =
    hinted.filter(_ != record.instant).map { instant =>
      Finding.error(
        "NUMBER_DAMAGED",
        place,
        s"it belongs to ${record.instant}, but the name of its hint says $instant"
      )
    }

  private def isOpen(record: CommitRecord, timeline: Timeline): Boolean =
    record.kind == CommitRecord.Commit && !timeline.isCompleted(record.instant, record.action) &&
      timeline.isInflight(record.instant, record.action)

  private def unpublished(place: String, record: CommitRecord): Finding = Finding.info(
    "COMMIT_UNPUBLISHED",
    place,
    s"commit ${record.instant} succeeded, but its completed file does not exist yet; " +
      "hudilite counts the commit, and the next write creates the file"
  )
}
