package hudilite.service

import hudilite.timeline.{Instant, PendingPlans, Timeline, TimelineFiles}

/** Check that no action on a table is pending, before the version or the type of the table changes. */
private[service] object IdleTable {

  /** Fails if an action is pending that must be finished before.
    * Errors: HUDILITE_UNSUPPORTED_TABLE, which names the action. */
  def check(files: TimelineFiles, timeline: Timeline): Unit = {
    def pending(action: String, time: String, fix: String) =
      PendingPlans.unfinished(files.basePath, time, fix, action)
    PendingPlans.check(files, timeline)
    PendingPlans.indexing(timeline).foreach { i =>
      throw pending("indexing", i.time, "Let stock Hudi finish the index, then call this again.")
    }
    timeline.pending.minOption.foreach { time =>
      throw pending(
        "write",
        time,
        "Wait until it is committed. If its writer is dead, roll it back: CALL rollback(table => " +
          s"'...', instant => '$time'). Then call this again."
      )
    }
    unfinished(timeline, "restore").foreach { i =>
      val fix =
        "Finish it with what has begun it: CALL restore again with its arguments, one hour " +
          "later if it was planned alone, or stock Hudi's CALL rollback_to_savepoint. Then call this again."
      throw pending("restore", i.time, fix)
    }
  }

  private def unfinished(timeline: Timeline, action: String): Option[Instant] =
    timeline.instants.find { i =>
      i.action == action && i.state == Instant.Requested &&
      !timeline.isCompleted(i.time, action)
    }
}
