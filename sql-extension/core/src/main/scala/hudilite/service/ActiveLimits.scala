package hudilite.service

/** Number of commits on the active timeline between which an archival keeps it.
  * @param least commits that an archival leaves there, 1 or more
  * @param most  commits up to which nothing is archived, more than `least` */
final case class ActiveLimits(least: Int, most: Int)

object ActiveLimits {

  /** Commits that stay on the active timeline by default, as in stock Hudi. */
  val least = 20

  /** Commits up to which nothing is archived by default, as in stock Hudi. */
  val most = 30
}
