package hudilite.view

import scala.util.control.NonFatal

import hudilite.commit.CommitCheckpoint
import hudilite.format.TableConfig
import hudilite.timeline.TimelineFiles

/** Checkpoints of a table's commits, from which loads start. */
object Checkpoints {

  /** Stores a checkpoint if a commit has a number at which one is due. The commit does not depend
    * on it: after an error, which is ignored, later loads read the commits one by one.
    * @param number number of the commit */
  def afterCommit(timeline: TimelineFiles, config: TableConfig, number: Long): Unit =
    if (number % CommitCheckpoint.every == 0) store(timeline, config)

  /** Stores a checkpoint of the commits that an archival has left on the timeline, because an
    * earlier one covers files that are gone. Errors are ignored as after a commit. */
  def afterArchival(timeline: TimelineFiles, config: TableConfig): Unit = store(timeline, config)

  private def store(timeline: TimelineFiles, config: TableConfig): Unit =
    try TableSnapshot.load(timeline, config).storeCheckpoint()
    catch { case NonFatal(_) => () }
}
