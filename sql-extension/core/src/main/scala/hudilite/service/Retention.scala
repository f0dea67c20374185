package hudilite.service

/** How much of a table's past is kept: what either of both keeps.
  * @param commits states from the latest back, 1 or more
  * @param hours   states that were the latest at some time within so many hours; 0 for none but the
  *                latest commits */
final case class Retention(commits: Int, hours: Int) {
  import Retention._

  /** The earliest state that is kept.
    * @param steps       the table's states, as `Committed.steps` gives them
    * @param completedAt when an instant was completed, milliseconds since 1970; one of which that is
    *                    not known counts as just now
    * @param now         milliseconds since 1970
    * @return the state's last instant; nothing when there are not more states than are kept */
  def earliest(
      steps: Vector[Vector[String]],
      completedAt: String => Option[Long],
      now: Long
  ): Option[String] = {
    val since = now - hours * millisPerHour
    val young =
      if (hours == 0) -1
      else steps.indexWhere(_.exists(time => completedAt(time).forall(_ >= since)))
    // The one before the first young one was still the latest when the time began.
    val current = (if (young < 0) steps.size else young) - 1
    val kept = math.min(steps.size - commits, current)
    Option.when(kept >= 0)(steps(kept).last)
  }
}

object Retention {
  private val millisPerHour = 3600000L

  /** Commits that are kept where nothing is said. */
  val commits = 10

  /** Hours that are kept where nothing is said; a query may run for less than that. */
  val leastHours = 168
}
