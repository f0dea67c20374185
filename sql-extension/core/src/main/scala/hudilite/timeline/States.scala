package hudilite.timeline

/** The committed instants in the order in which they came to count: by their numbers, and those
  * that have none yet after them, by their names, as the next writer will number them.
  * @param latest    the commits that count now
  * @param numbers   of the instants that have one, also of those that do not count any more
  * @param requested when a write's requested file appeared, in milliseconds since 1970
  * Source: design D10. */
private[timeline] final class States(
    val latest: Committed,
    val numbers: Map[String, Long],
    requested: String => Option[Long]
) {

  /** Committed instants of the active timeline. */
  val order: Vector[String] = latest.times.sortBy(time => (numberOf(time), time))

  /** The instants that counted at a state. */
  def upTo(asked: AsOf): States.Past = asked match {
    case AsOf.Version(time) if !order.contains(time) => States.Unknown
    case AsOf.Version(time) =>
      val last = numberOf(time)
      States.Counted(order.takeWhile { other =>
        numberOf(other) < last || numberOf(other) == last && (isNumbered(other) || other <= time)
      })
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

  /** The instants in order up to the first that has not begun; where nothing tells whether it has,
    * neither does it of the state. */
  private def upToLast(hasBegun: String => Option[Boolean]): States.Past = {
    val end = order.iterator.map(time => time -> hasBegun(time)).find(!_._2.contains(true))
    val kept = whole(end.fold(order)(stop => order.takeWhile(_ != stop._1)))
    end match {
      case Some((time, None)) => States.ShownTwice(time)
      case _ if kept.isEmpty => States.Unknown
      case _ => States.Counted(kept)
    }
  }

  /** When a write began whose instant the clock has shown at two moments: when its requested file
    * appeared. A file that appeared long before or after both is a copy and does not tell. */
  private def began(time: String, first: Long, second: Long): Option[Long] = {
    val margin = (second - first) / 2
    requested(time).filter(at => first - margin < at && at < second + margin)
  }

  /** Highest number among instants. */
  def number(kept: Seq[String]): Long =
    kept.flatMap(numbers.get).maxOption.getOrElse(0L)

  /** The same order, where what came to count at once stands together. */
  def steps: Vector[Vector[String]] = order.foldLeft(Vector.empty[Vector[String]]) { (all, time) =>
    val joins = isNumbered(time) && all.lastOption.exists(_.exists(numberOf(_) == numberOf(time)))
    if (joins) all.init :+ (all.last :+ time) else all :+ Vector(time)
  }

  /** Instants that came to count after those, archived ones as well. */
  def after(kept: Seq[String]): Set[String] = {
    val last = if (kept.forall(isNumbered)) number(kept) else latest.number
    order.toSet -- kept ++ numbers.collect { case (time, n) if n > last => time }
  }

  /** Without a part of a number: readers see all of it or nothing. */
  private def whole(kept: Vector[String]): Vector[String] = {
    val cut = order.drop(kept.length).headOption.filter(isNumbered).map(numberOf)
    kept.filterNot(time => cut.contains(numberOf(time)))
  }

  private def isNumbered(time: String): Boolean = numberOf(time) <= latest.number

  private def numberOf(time: String): Long = numbers
    .get(time)
    .orElse(numbers.get(Instant.fullBootstrap).filter(_ => time == Instant.bootstrap))
    .getOrElse(latest.number + 1)
}

private[timeline] object States {

  /** What the timeline tells of an earlier state. */
  sealed trait Past

  /** The instants that counted, in their order; there is at least one. */
  final case class Counted(times: Vector[String]) extends Past

  /** There was no such state, or its instants are gone. */
  case object Unknown extends Past

  /** Nothing tells whether the write of an instant had begun, whose text the clock showed twice. */
  final case class ShownTwice(instant: String) extends Past
}
