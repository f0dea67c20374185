package hudilite.view

import hudilite.commit.CommitCheckpoint
import hudilite.format.TableConfig
import hudilite.timeline.TimelineFiles

/** Checkpoints of a table's commits, from which loads start. */
object Checkpoints {

  /** Stores a checkpoint if a commit has a number at which one is due. The commit does not depend
    * on it: after an error, later loads read the commits one by one.
    * @param number number of the commit
    * Errors: HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE, those of [[TableSnapshot.load]]. */
  def afterCommit(timeline: TimelineFiles, config: TableConfig, number: Long): Unit =
    if (number % CommitCheckpoint.every == 0)
      TableSnapshot.load(timeline.storage, timeline.basePath, config).storeCheckpoint()
}
