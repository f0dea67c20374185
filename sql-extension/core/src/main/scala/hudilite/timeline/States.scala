package hudilite.timeline

/** The committed instants in the order in which they came to count: by their numbers, and those
  * that have none yet after them, by their names, as the next writer will number them.
  * @param latest  the commits that count now
  * @param numbers of the instants that have one, also of those that do not count any more
  * Source: design D10. */
private[timeline] final class States(val latest: Committed, val numbers: Map[String, Long]) {

  /** Committed instants of the active timeline. */
  val order: Vector[String] = latest.times.sortBy(time => (numberOf(time), time))

  /** The instants that counted at a state.
    * @return nothing when there was no such state, or it cannot be told any more */
  def upTo(asked: AsOf): Option[Vector[String]] = asked match {
    case AsOf.Version(time) =>
      order.find(_ == time).map { _ =>
        val (last, rank) = (numberOf(time), time)
        order.takeWhile { other =>
          numberOf(other) < last || numberOf(other) == last && (isNumbered(other) || other <= rank)
        }
      }
    case AsOf.Until(until, _) =>
      Some(whole(order.takeWhile(_ <= until))).filter(_.nonEmpty)
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
