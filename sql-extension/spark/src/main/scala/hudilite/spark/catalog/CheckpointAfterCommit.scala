package hudilite.spark.catalog

import scala.util.control.NonFatal

import hudilite.view.Checkpoints

/** Checkpoint of a table after every tenth commit, from which later loads start (driver side). */
object CheckpointAfterCommit {

  /** Stores a checkpoint if one is due. The commit does not depend on it: without a checkpoint,
    * later loads read the commits one by one.
    * @param number number of the commit */
  def apply(table: HudiliteTable, number: Long): Unit =
    try Checkpoints.afterCommit(table.timeline, table.config, number)
    catch { case NonFatal(_) => () }
}
