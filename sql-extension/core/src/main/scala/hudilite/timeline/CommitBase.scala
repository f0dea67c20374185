package hudilite.timeline

/** What a writer has seen when it computes its rows; whatever came after may conflict.
  * @param number  highest commit number of the snapshot, 0 when there is none
  * @param instants committed instants of the snapshot, with a number or not */
final case class CommitBase(number: Long, instants: Set[String])

object CommitBase {

  /** A table without a commit. */
  val empty: CommitBase = CommitBase(0L, Set.empty)
}
