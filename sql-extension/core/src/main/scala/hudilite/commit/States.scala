package hudilite.commit

import hudilite.timeline.{Instant, InstantTime}

/** Committed instants in the order in which they became visible: by their numbers, then those
  * without a number by their times of completion, as the next writer will number them.
  * @param latest    the commits that count now
  * @param numbers   number of each instant that has one, including instants that do not count any
  *                  more
  * @param requested time when a write's requested file appeared, in milliseconds since 1970
  * Source: design D10. */
private[commit] final class States(
    val latest: Committed,
    val numbers: Map[String, Long],
    requested: String => Option[Long]
) {

  /** Committed instants of the active timeline, in this order. */
  val order: Vector[String] = latest.times.sortBy(place)

  /** Returns the instants that counted at a state. */
  def upTo(asked: AsOf): States.Past = asked match {
    case AsOf.Version(time) if !order.contains(time) => States.Unknown
    case AsOf.Version(time) =>
      val last =
        if (isNumbered(time)) order.lastIndexWhere(numberOf(_) == numberOf(time))
        else order.indexOf(time)
      States.Counted(order.take(last + 1))
    case AsOf.Number(n) =>
      val last = order.lastIndexWhere(time => isNumbered(time) && numberOf(time) == n)
      if (last < 0) States.Unknown else States.Counted(order.take(last + 1))
    case AsOf.Until(until, _) => upToLast(time => Some(time <= until))
    case AsOf.Repeated(millis, zone, _) =>
      val until = InstantTime.at(millis, zone)
      upToLast { time =>
        InstantTime.moments(time, zone) match {
          case Seq(first, second) => began(time, first, second).map(_ <= millis)
          case _ => Some(time <= until)
        }
      }
  }

  /** Returns the instants in order that come before the first write that had not begun. If it is
    * unknown whether that write had begun, the state is unknown, too. */
  private def upToLast(hasBegun: String => Option[Boolean]): States.Past = {
    val end = order.iterator.map(time => time -> hasBegun(time)).find(!_._2.contains(true))
    val kept = whole(end.fold(order)(stop => order.takeWhile(_ != stop._1)))
    end match {
      case Some((time, None)) => States.ShownTwice(time)
      case _ if kept.isEmpty => States.Unknown
      case _ => States.Counted(kept)
    }
  }

  /** Returns when a write began whose instant time the clock has shown at two moments: when its
    * requested file appeared. A file that appeared long before or after both moments is a copy and
    * proves nothing. */
  private def began(time: String, first: Long, second: Long): Option[Long] = {
    val margin = (second - first) / 2
    requested(time).filter(at => first - margin < at && at < second + margin)
  }

  /** Returns the highest number of instants, 0 if none has a number. */
  def number(kept: Seq[String]): Long =
    kept.flatMap(numbers.get).maxOption.getOrElse(0L)

  /** [[order]] in groups: instants that became visible at once are in one element. */
  lazy val steps: Vector[Vector[String]] = order.foldLeft(Vector.empty[Vector[String]]) {
    (all, time) =>
      val joins = isNumbered(time) && all.lastOption.exists(_.exists(numberOf(_) == numberOf(time)))
      if (joins) all.init :+ (all.last :+ time) else all :+ Vector(time)
  }

  /** Returns the instants of writes that are pending and have no number. */
  def pending: Set[String] = latest.timeline.pending -- latest.times -- numbers.keySet

  /** Returns how many of the first steps are settled: no pending write can come before them. In table
    * version 6 the files of another program do not tell when its commits were completed. Until these
    * get numbers, they are in the order of their instants, and settled only before a pending write.
    * @param pending first pending write that may change rows
    * Source: Hudi's `hoodie.read.timeline.holes.resolution.policy` = `BLOCK`. */
  def settledSteps(pending: => Option[String]): Int = {
    def isSettled(time: String) =
      isNumbered(time) || completions.contains(time) || pending.forall(time < _)
    steps.segmentLength(_.forall(isSettled))
  }

  /** Returns the instants that became visible after `kept`, including archived ones. */
  def after(kept: Seq[String]): Set[String] = {
    val last = reached(kept)
    order.toSet -- kept ++ numbers.collect { case (time, n) if n > last => time }
  }

  /** Returns the highest number of the state with some instants. An instant without a number, which
    * another program has committed, became visible after all numbers. */
  def reached(kept: Seq[String]): Long =
    if (kept.forall(isNumbered)) number(kept) else latest.number

  /** Removes the instants of a number that is not complete in `kept`: readers see all commits of a
    * number or none. */
  private def whole(kept: Vector[String]): Vector[String] = {
    val cut = order.drop(kept.length).headOption.filter(isNumbered).map(numberOf)
    kept.filterNot(time => cut.contains(numberOf(time)))
  }

  /** Returns number, time of completion and instant, by which the instants are in order. */
  private def place(time: String): (Long, String, String) =
    (numberOf(time), if (isNumbered(time)) "" else completions.getOrElse(time, time), time)

  private lazy val completions: Map[String, String] = (for {
    instant <- latest.timeline.completed
    completion <- instant.completion
  } yield instant.time -> completion).toMap

  private def isNumbered(time: String): Boolean = numberOf(time) <= latest.number

  private def numberOf(time: String): Long = numbers
    .get(time)
    .orElse(numbers.get(Instant.fullBootstrap).filter(_ => time == Instant.bootstrap))
    .getOrElse(latest.number + 1)
}

private[commit] object States {

  /** Result for an earlier state. */
  sealed trait Past

  /** Instants that counted, in their order, at least one. */
  final case class Counted(times: Vector[String]) extends Past

  /** Result if there was no such state, or if its instants are no longer on the active timeline. */
  case object Unknown extends Past

  /** Result if it is unknown whether the write of an instant had begun, because the clock showed
    * that instant time twice. */
  final case class ShownTwice(instant: String) extends Past
}
