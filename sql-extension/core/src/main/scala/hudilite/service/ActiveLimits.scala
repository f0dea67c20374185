package hudilite.service

/** Limits of an archival.
  * @param least            commits that it leaves on the active timeline, 1 or more
  * @param most             commits up to which nothing is archived, more than `least`
  * @param keepsCheckpoints whether a commit stays from which a program of stock Hudi would resume */
final case class ActiveLimits(least: Int, most: Int, keepsCheckpoints: Boolean = true)

object ActiveLimits {

  /** Commits that stay on the active timeline by default, as in stock Hudi. */
  val least = 20

  /** Commits up to which nothing is archived by default, as in stock Hudi. */
  val most = 30
}
