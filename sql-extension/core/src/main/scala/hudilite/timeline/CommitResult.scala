package hudilite.timeline

/** A commit that stands.
  * @param number  its place in the order of commits
  * @param instant its instant time */
final case class CommitResult(number: Long, instant: String)
