package hudilite.service

/** Table states that a clean keeps: those that at least one of the two limits keeps.
  * @param commits number of the latest states to keep, 1 or more
  * @param hours   keeps states that were the latest at some time within the last `hours`; 0 keeps
  *                none but those of `commits` */
final case class Retention(commits: Int, hours: Int) {
  import Retention._

  /** Returns the earliest state that is kept.
    * @param steps       states of the table, as `Committed.steps` returns them
    * @param completedAt time at which an instant was completed, milliseconds since 1970; if it is
    *                    unknown, the instant counts as completed just now
    * @param now         milliseconds since 1970
    * @return the state's last instant; None if the table has fewer states than are kept */
  def earliest(
      steps: Vector[Vector[String]],
      completedAt: String => Option[Long],
      now: Long
  ): Option[String] = {
    val since = now - hours * millisPerHour
    val young =
      if (hours == 0) -1
      else steps.indexWhere(_.exists(time => completedAt(time).forall(_ >= since)))
    // The state before the first young one was still the latest when the period began.
    val current = (if (young < 0) steps.size else young) - 1
    val kept = math.min(steps.size - commits, current)
    Option.when(kept >= 0)(steps(kept).last)
  }
}

object Retention {
  private val millisPerHour = 3600000L

  /** Number of commits that are kept by default. */
  val commits = 10

  /** Hours that are kept by default. A query that runs for less time loses no files. */
  val leastHours = 168
}
