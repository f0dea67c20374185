package hudilite.service

import hudilite.commit.CommitLog
import hudilite.format.TableConfig
import hudilite.timeline.{
  DoneAction,
  Instant,
  Markers,
  Timeline,
  TimelineArchive,
  TimelineFiles
}
import hudilite.view.Checkpoints

/** Archival of a table's timeline: moves its first commits, and the cleans and rollbacks between
  * them, to the archive of stock Hudi. Runs on the driver.
  *
  * A batch of actions is in the archive, complete and durable, before the first of its files is
  * deleted. The files of pending states are deleted first, so that no reader takes an action for a
  * pending one, then the completed files in order. So after a crash, the timeline begins later or has
  * all of its commits, and the next archival goes on. Two archivals at once do no harm.
  * @param retention what the automatic clean of the table keeps; None if it has none
  * @param clock     milliseconds since 1970
  * Source: hudi-format §3.13, §7.2; table-versions §1.11. */
final class Archiver(
    files: TimelineFiles,
    config: TableConfig,
    log: CommitLog,
    retention: Option[Retention],
    clock: () => Long
) {
  import Archiver._

  private val storage = files.storage

  /** Returns what an archival would move. Writes nothing. */
  def look(limits: ActiveLimits): Outcome = {
    val found = new Archivable(files, config, retention, clock()).found(limits)
    outcome(found.actions, found.stoppedBy)
  }

  /** Archives actions if the timeline has more commits than the limits allow. Writes nothing if there
    * is nothing to do.
    * Errors: HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSUPPORTED_TABLE, HUDILITE_UNSAFE_STORAGE. */
  def run(limits: ActiveLimits): Outcome = log.alone {
    val found = new Archivable(files, config, retention, clock()).found(limits)
    if (found.actions.nonEmpty) {
      val kept = log.keepBefore()
      val archive = files.layout.archive(files, config)
      val gone = found.actions.map(_.time).toSet
      Markers.instants(files).filter(gone).foreach(Markers.deleteAll(files, _))
      val moved = batches(found.actions).flatMap(move(_, archive))
      Checkpoints.afterArchival(files, config)
      log.detach.after(kept.nonEmpty)
      outcome(moved, found.stoppedBy)
    } else outcome(found.actions, found.stoppedBy)
  }

  /** Whether the timeline has more commits than the limits allow. Lists it once. */
  def isDue(limits: ActiveLimits): Boolean =
    Timeline.named(files).completed.length > limits.most

  /** Archives a batch of actions.
    * @return those that have left the timeline */
  private def move(batch: Vector[DoneAction], archive: TimelineArchive): Vector[DoneAction] = {
    val there = existing(batch)
    if (there.nonEmpty) archive.add(there)
    if (there.isEmpty || isSaved(there.last.time)) Vector.empty
    else {
      delete(there)
      there
    }
  }

  /** Returns the actions with the files that still exist: another archival may be at work. */
  private def existing(batch: Vector[DoneAction]): Vector[DoneAction] = {
    val now = files.instants().toSet
    batch.map(of => of.copy(files = of.files.filter(f => now(f._1))))
      .filter(of => now(of.completed))
  }

  /** Whether a commit up to an instant has got a savepoint meanwhile. */
  private def isSaved(last: String): Boolean =
    files.instants().exists(i => i.action == "savepoint" && i.time <= last)

  private def delete(batch: Vector[DoneAction]): Unit = {
    storage.deleteAll(batch.flatMap(_.pending))(files.path): Unit
    storage.fsync(files.path(batch.last.completed)) // after a loss of power, too, none is pending
    batch.flatMap(_.done).foreach(files.delete)
  }

  private def outcome(actions: Vector[DoneAction], stoppedBy: Option[String]): Outcome = {
    val (commits, others) = actions.map(_.completed).partition(_.isWrite)
    Outcome(commits, others, stoppedBy)
  }
}

object Archiver {

  /** Most bytes in the files of the actions that are archived at once, except for a single larger
    * action; bounds the memory of an archival. */
  private val batchBytes = 4L << 20

  /** Most actions that are archived at once. The timeline is listed twice for each batch. */
  private val batchLength = 2000

  /** Returns actions in batches, in order. */
  private[service] def batches(actions: Vector[DoneAction]): Vector[Vector[DoneAction]] = {
    def bytes(of: DoneAction) = of.files.map(_._2.length).sum
    val ends = actions.map(bytes).scanLeft(0L)(_ + _)
    Vector.unfold(0) { from =>
      val most = ends.lastIndexWhere(_ <= ends(from) + batchBytes, from + batchLength)
      val until = math.min(math.max(most, from + 1), actions.length)
      Option.when(from < actions.length)(actions.slice(from, until) -> until)
    }
  }

  /** Result of an archival.
    * @param commits   commits and replacecommits that were archived, or would be, in order
    * @param others    other actions
    * @param stoppedBy why commits stay that the limits alone would let go */
  final case class Outcome(
      commits: Seq[Instant],
      others: Seq[Instant],
      stoppedBy: Option[String]
  )
}
