package hudilite.timeline

import hudilite.io.FileEntry

/** Completed action of a timeline with all of its files.
  * @param completed its completed state, the one that counts
  * @param files     each state that has a file, with that file, in their order */
private[hudilite] final case class DoneAction(
    completed: Instant,
    files: Vector[(Instant, FileEntry)]
) {

  /** Instant of the action. */
  def time: String = completed.time

  /** States in which the action was pending. */
  def pending: Vector[Instant] = files.map(_._1).filter(_.state != Instant.Completed)

  /** Completed states: two if the action was completed twice. */
  def done: Vector[Instant] = files.map(_._1).filter(_.state == Instant.Completed)
}

private[hudilite] object DoneAction {

  /** Actions as which stock Hudi plans commits of a merge-on-read table, by the completed action. */
  val planned: Map[String, String] =
    Map(Instant.commit -> "compaction", Instant.deltaCommit -> "logcompaction")

  /** Completed action of each planned one. */
  private[timeline] val completedAs: Map[String, String] = planned.map(_.swap)

  /** Returns the completed actions among the files of a timeline, in order.
    * @param listed result of [[TimelineFiles.list]] */
  def of(layout: TimelineLayout, listed: Seq[(Instant, FileEntry)]): Vector[DoneAction] =
    listed.groupBy { case (instant, _) => (instant.time, completedAction(instant)) }.values.toVector
      .map(_.sortBy(_._1)(layout.order.orElseBy(_.completion)).toVector)
      .flatMap(of => of.map(_._1).find(_.state == Instant.Completed).map(DoneAction(_, of)))
      .sortBy(_.completed)(layout.order)

  /** Returns the action as which an instant is completed, a planned compaction as the commit that it
    * becomes. */
  def completedAction(of: Instant): String =
    completedAs.getOrElse(of.action, of.completedAction)
}
