package hudilite.service

import java.util.UUID

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path

import hudilite.format.{BaseFileName, TableConfig}
import hudilite.io.Storage
import hudilite.timeline._
import hudilite.view.TableSnapshot

/** Takes a table back to an earlier state: the commits that came to count after it are undone, the
  * latest first, as if they had never been. Runs on the driver.
  *
  * It takes a number that touches all that they touched before it deletes anything, so that a
  * writer that rests on one of them fails. What a crash leaves is finished by the next call; until
  * then readers see the state of one of the commits.
  * @param clock milliseconds since 1970
  * Source: hudi-format §3.10; design D10. */
final class Restore(
    storage: Storage,
    basePath: Path,
    config: TableConfig,
    log: CommitLog,
    clock: () => Long
) {
  import Restore._

  private val numbers = new CommitNumbers(storage, basePath)

  /** What would go; nothing is written.
    * @param instant of the state
    * Errors: HUDILITE_VERSION_NOT_FOUND; HUDILITE_SNAPSHOT_EXPIRED and those of
    * [[TableSnapshot.slices]] when the state cannot be read any more. */
  def look(instant: String): Outcome = {
    val lost = after(instant)
    Outcome(None, lost.map(_.time), filesOf(lost.map(_.time).toSet))
  }

  /** Savepoints of commits that would go. */
  def saved(instant: String): Seq[String] = {
    val lost = after(instant).map(_.time).toSet
    new Savepoints(storage, basePath).instants().filter(lost)
  }

  /** Finishes restores that were left, then does this one; once more changes nothing.
    * Errors: those of [[look]]; HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE. */
  def run(instant: String): Outcome = {
    val left = pending().map(finish)
    val own = claim(instant).map(finish)
    val all = left ++ own
    Outcome(own.flatMap(_.instant), all.flatMap(_.lost), all.flatMap(_.deleted))
  }

  /** Plans the restore and takes its number, which no commit comes between.
    * @return its instant; nothing when nothing came after the state */
  @tailrec private def claim(instant: String): Option[String] = {
    val settled = log.settle()
    val lost = after(instant)
    if (lost.isEmpty) None
    else {
      val snapshot = TableSnapshot.load(storage, basePath, config)
      val touched = lost.flatMap(i => snapshot.metadata(i.time)).flatMap(_.fileGroups).toSet
      val time = log.request(action, RestoreRecords.plan(lost, instant))
      val record =
        CommitRecord(CommitRecord.Adopted, time, action, UUID.randomUUID.toString, touched, None)
      if (numbers.create(settled.highest + 1, record)) {
        numbers.hint(settled.highest + 1, time)
        Some(time)
      } else {
        storage.delete(Instant(time, action, Instant.Requested).path(basePath)): Unit
        claim(instant)
      }
    }
  }

  /** Commits that came to count after a state that is whole, the latest first. */
  private def after(instant: String): Seq[Instant] = {
    val state = TableSnapshot.load(storage, basePath, config, Some(AsOf.Version(instant)))
    state.partitions().foreach(state.slices(_): Unit)
    val kept = state.instants.toSet
    val timeline = Timeline.load(storage, basePath)
    val latest = Committed.steps(storage, basePath).flatten.filterNot(kept)
    latest.reverse.flatMap(time => timeline.completed.find(_.time == time))
  }

  /** Planned and not done. A plan whose number was lost to a commit deletes nothing. */
  private def pending(): Seq[String] = {
    val timeline = Timeline.named(storage, basePath)
    val numbered = numbers.instants(numbers.list())
    timeline.instants.collect {
      case Instant(time, `action`, Instant.Requested)
          if !timeline.isCompleted(time, action) && numbered(time) =>
        time
    }
  }

  private def finish(time: String): Outcome = {
    val started = clock()
    val path = Instant(time, action, Instant.Requested).path(basePath)
    val lost = RestoreRecords.planned(storage.read(path), path)
    storage.createNew(
      Instant(time, action, Instant.Inflight).path(basePath),
      Array.emptyByteArray
    ): Unit
    // The latest first: a reader sees one of the states on the way.
    lost.foreach(i => storage.delete(i.copy(state = Instant.Completed).path(basePath)))
    val files = filesOf(lost.map(_.time).toSet)
    val gone = files.filter(file => storage.delete(Storage.resolve(basePath, file)))
    lost.foreach { i =>
      Markers.deleteAll(storage, basePath, i.time)
      storage.delete(i.copy(state = Instant.Inflight).path(basePath))
      storage.delete(i.copy(state = Instant.Requested).path(basePath))
    }
    val deleted = lost.map(i => i -> gone.filter(isOf(_, Set(i.time))))
    storage.createNew(
      Instant(time, action, Instant.Completed).path(basePath),
      RestoreRecords.outcome(basePath, time, clock() - started, deleted)
    ): Unit
    Outcome(Some(time), lost.map(_.time), gone)
  }

  /** Base files that instants have written, relative to the table. */
  private def filesOf(instants: Set[String]): Seq[String] = {
    val snapshot = TableSnapshot.load(storage, basePath, config)
    snapshot.partitions().flatMap(snapshot.files).map(_.place).filter(isOf(_, instants))
  }

  private def isOf(file: String, instants: Set[String]): Boolean =
    BaseFileName.parse(BaseFileName.last(file)).exists(name => instants(name.instant))
}

object Restore {
  private val action = "restore"

  /** @param instant of the restore, nothing where none was written
    * @param lost    instants that were undone, or would be, the latest first
    * @param deleted base files that went, or would, relative to the table */
  final case class Outcome(instant: Option[String], lost: Seq[String], deleted: Seq[String])
}
