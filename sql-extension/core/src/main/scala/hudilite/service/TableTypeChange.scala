package hudilite.service

import java.util.UUID

import hudilite.commit.{CommitLog, TypeDecision}
import hudilite.error.HudiliteException
import hudilite.timeline.TimelineFiles

/** Change of a table's type. The rows, the files and the numbered commits stay. Runs on the driver.
  *
  * A commit number decides the change: see [[TypeDecision]].
  * Source: decision 0022. */
final class TableTypeChange(files: TimelineFiles, log: CommitLog) {

  /** Finishes the last change of the type if it was interrupted.
    * @return whether anything was left to do
    * Errors: those of the storage. */
  def finishLast(): Boolean = log.alone(new TypeDecision(files).finishLast())

  /** Fails if an action is pending that must be finished before a change.
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  def checkIdle(): Unit = IdleTable.check(files, log.settle().timeline)

  /** Gives the table the other type, if its latest commit is one that the caller has looked at.
    * @param isMergeOnRead type that the table gets
    * @param seen          highest commit number at which the table was ready for it
    * @return false, and the type is not changed, if there is a later commit
    * Errors: HUDILITE_UNSUPPORTED_TABLE if an action is pending that must be finished before;
    * HUDILITE_CONCURRENT_WRITE if another change of the type or version came before this one;
    * HUDILITE_UNSAFE_STORAGE; those of the storage. */
  def run(isMergeOnRead: Boolean, seen: Long): Boolean = log.alone {
    val settled = log.settle()
    IdleTable.check(files, settled.timeline)
    settled.highest == seen && {
      log.detach.before(settled.timeline, isRequired = true)
      val decision = new TypeDecision(files)
      val change = TypeDecision.Decided(seen + 1, isMergeOnRead)
      decision.take(change, UUID.randomUUID.toString) && {
        decision.finish(change): Unit
        files.config().isMergeOnRead == isMergeOnRead
      }
    }
  }
}

object TableTypeChange {

  /** Returns the error for a change before which other commits come again and again.
    * @param table   name of the table
    * @param instant the latest commit */
  def overtaken(table: String, instant: String): HudiliteException =
    CommitLog.concurrent(table, "all, because the type of the table changes", instant)
}
