package hudilite.timeline

import java.time.ZoneId

/** Times of completion for instants whose file names have none. */
private[hudilite] object Completions {

  /** State of a completed action.
    * @param modifiedMillis last change of its file by the storage's clock, 0 if it is unknown
    * @param recorded       time of completion that its numbered commit contains */
  final case class Done(instant: Instant, modifiedMillis: Long, recorded: Option[String])

  /** Returns a time for each completed action: the recorded one, else that of the last change of its
    * file, else the instant. Each is above the instant, and those of writes are in their order: the
    * time of a file does not count if it is above the recorded time of a later write, as in a copy.
    * @param writes completed writes in the order in which they became visible
    * @param others other completed actions
    * @param zone   zone in which the timeline names its instants */
  def of(writes: Seq[Done], others: Seq[Done], zone: ZoneId): Map[Instant, String] = {
    val bounds = writes.scanRight(Option.empty[String])((done, later) =>
      done.recorded.orElse(later)
    )
    val ofWrites = writes.zip(bounds.drop(1)).scanLeft(Option.empty[(Instant, String)]) {
      case (last, (done, bound)) =>
        Some(done.instant -> time(done, last.map(_._2), bound, zone))
    }
    (ofWrites.flatten ++ others.map(done => done.instant -> time(done, None, None, zone))).toMap
  }

  private def time(
      done: Done,
      last: Option[String],
      bound: Option[String],
      zone: ZoneId
  ): String = {
    val above = (last ++ Some(done.instant.time)).max
    val ofFile = InstantTime.at(done.modifiedMillis, zone)
    done.recorded.filter(_ > above)
      .orElse(Some(ofFile).filter(time => time > above && bound.forall(time < _)))
      .getOrElse(InstantTime.next(0L, zone, Some(above)))
  }
}
