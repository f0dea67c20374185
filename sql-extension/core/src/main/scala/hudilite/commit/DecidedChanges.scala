package hudilite.commit

import java.time.ZoneId

import hudilite.timeline.TimelineFiles

/** Changes of a table that a commit number has decided: moves of its timeline into another layout, and
  * changes of its type. A write that was planned before such a number gets none after it. Runs on the
  * driver.
  * @param table         name of the table in errors
  * @param zone          zone in which the timeline names its instants
  * @param isMergeOnRead type of the table as it was opened
  * Source: decisions 0017 and 0022. */
private[commit] final class DecidedChanges(
    files: TimelineFiles,
    table: String,
    zone: ZoneId,
    isMergeOnRead: Boolean
) {
  private val numbers = new CommitNumbers(files)
  private val types = new TypeDecision(files)

  /** Fails if the table has changed since it was opened. Finishes the change before, if it was
    * interrupted.
    * @param hints   numbers with their instants
    * @param highest highest commit number
    * @param before  last change of the type among earlier numbers
    * Errors: HUDILITE_CONCURRENT_WRITE. */
  def check(
      hints: Map[Long, String],
      highest: Long,
      before: Option[TypeDecision.Decided] = None
  ): Unit = {
    TimelineMove.last(hints).filter(_.layout != files.layout.version).foreach(
      checkMoved(_, highest)
    )
    TypeDecision.last(hints).orElse(before).filter(_.isMergeOnRead != isMergeOnRead).foreach(
      checkType
    )
  }

  private def checkMoved(move: TimelineMove.Decided, highest: Long): Unit = {
    val config = files.config()
    val hasMoved = config.version.timelineLayout != files.layout.version
    val isOpen = !hasMoved && TimelineMove.isOpen(move, config, highest)
    if (isOpen)
      new TimelineMove(files, zone)
        .finish(move.number, TimelineMove.version(files, numbers, move.number)): Unit
    if (hasMoved || isOpen) throw TimelineMove.changed(table, move.number)
  }

  private def checkType(decided: TypeDecision.Decided): Unit = {
    val isDone = types.finish(decided)
    if (isDone || files.config().isMergeOnRead != isMergeOnRead)
      throw TypeDecision.changed(table, decided.number)
  }
}
