package hudilite.commit

/** Result of a successful commit.
  * @param number  commit number, its position in the order of commits
  * @param instant instant time of the commit */
final case class CommitResult(number: Long, instant: String)
