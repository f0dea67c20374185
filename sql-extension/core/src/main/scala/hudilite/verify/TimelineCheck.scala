package hudilite.verify

import hudilite.io.FileEntry
import hudilite.timeline.{CommitMetadata, Instant, Timeline, TimelineFiles}

/** Check of the timeline's files, each on its own: one that cannot be read hides no other.
  * @param findings damaged files, and instants that are pending
  * @param metadata metadata of each committed write whose completed file can be read, by instant
  * Source: hudi-format §3, faults F34-F41. */
private[verify] final class TimelineCheck(
    val findings: Seq[Finding],
    val metadata: Map[String, CommitMetadata]
)

private[verify] object TimelineCheck {

  /** Actions whose completed file contains records. */
  private val recorded = Set("clean", "rollback", "restore", "savepoint")

  def run(files: TimelineFiles): TimelineCheck = {
    val found = files.list()
    val (done, repeated) = once(found.filter(_._1.state == Instant.Completed))
    val commits = done.filter(_._1.isWrite).map(d => d._1.time -> commit(files, d._1, d._2))
    val numbers = NumberCheck.run(files, Timeline(found.map(_._1).toVector))
    new TimelineCheck(
      commits.flatMap(_._2.left.toOption) ++
        done.map(_._1).filter(i => recorded(i.action)).flatMap(records(files, _)) ++
        ambiguous(files, done.map(_._1)) ++ completions(files, done.map(_._1)) ++
        repeated.map(again(files, _)) ++ numbers.findings ++
        pending(files, found.map(_._1).filterNot(i => numbers.unpublished.contains(i.time))),
      commits.flatMap(c => c._2.toOption.map(c._1 -> _)).toMap
    )
  }

  /** Returns the completed instants, and those that another file has with an earlier time of
    * completion. */
  private def once(
      done: Seq[(Instant, FileEntry)]
  ): (Seq[(Instant, FileEntry)], Seq[Instant]) = {
    val sorted = done.distinctBy(_._1).sortBy(_._1.completion)
    val counted = sorted.distinctBy { case (instant, _) => (instant.time, instant.action) }
    (counted, sorted.diff(counted).map(_._1))
  }

  private def again(files: TimelineFiles, instant: Instant): Finding = Finding.warning(
    "INSTANT_COMPLETED_TWICE",
    files.place(instant),
    "another file completes the instant at an earlier time, and that one counts"
  )

  /** Returns findings for times of completion that are missing or cannot be. */
  private def completions(files: TimelineFiles, done: Seq[Instant]): Seq[Finding] =
    done.filter(_ => files.layout.namesCompletion).flatMap { instant =>
      val place = files.place(instant)
      instant.completion match {
        case None => Some(
            Finding.warning(
              "COMPLETION_UNKNOWN",
              place,
              "its name has no time of completion; hudilite and stock Hudi count the instant, and " +
                "hudi-rs does not"
            )
          )
        case Some(completion) if completion < instant.time =>
          Some(
            Finding.warning(
              "COMPLETION_EARLY",
              place,
              s"the instant is completed at $completion, before it was requested; incremental " +
                "queries of stock Hudi may skip it"
            )
          )
        case Some(_) => None
      }
    }

  private def commit(
      files: TimelineFiles,
      instant: Instant,
      entry: FileEntry
  ): Either[Finding, CommitMetadata] = {
    val place = files.place(instant)
    if (entry.length == 0)
      Left(Finding.error("COMMIT_EMPTY", place, "the completed file has no bytes"))
    else Finding.attempt(Finding.error("COMMIT_DAMAGED", place, _))(files.commit(instant))
  }

  private def records(files: TimelineFiles, instant: Instant): Option[Finding] =
    Finding
      .attempt(Finding.error("INSTANT_DAMAGED", files.place(instant), _))(files.records(instant))
      .left
      .toOption

  /** Returns findings for instants that are completed with two actions. Savepoints are excluded,
    * because a savepoint has the time of the commit that it keeps. */
  private def ambiguous(files: TimelineFiles, done: Seq[Instant]): Seq[Finding] =
    done.filter(_.action != "savepoint").groupBy(_.time).values.filter(_.size > 1).toSeq.map {
      several =>
        Finding.error(
          "INSTANT_AMBIGUOUS",
          several.map(files.place).max,
          s"the instant is completed as ${several.map(_.action).sorted.mkString(" and as ")}"
        )
    }

  private def pending(files: TimelineFiles, instants: Seq[Instant]): Seq[Finding] = {
    val done = instants.filter(_.state == Instant.Completed).map(_.time).toSet
    val open = instants.filter(i => i.isWrite && !done(i.time))
    open.groupBy(_.time).values.toSeq.map { states =>
      val latest = states.max(files.layout.order)
      Finding.info(
        "INSTANT_PENDING",
        files.place(latest),
        s"the write ${latest.time} is pending. If its writer is dead, roll it back with CALL " +
          s"rollback(table => '...', instant => '${latest.time}')"
      )
    }
  }
}
