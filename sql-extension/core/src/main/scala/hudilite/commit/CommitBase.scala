package hudilite.commit

/** State of the table from which a writer computes its rows; any later commit may conflict with the
  * write.
  * @param number   highest commit number of the snapshot, 0 if there is none
  * @param instants committed instants of the snapshot, with or without a number
  * @param last     highest instant of any action and state, or time of completion, that the snapshot
  *                 knows; None if it knows none, or did not look */
final case class CommitBase(number: Long, instants: Set[String], last: Option[String] = None)

object CommitBase {

  /** State of a table without commits. */
  val empty: CommitBase = CommitBase(0L, Set.empty)
}
