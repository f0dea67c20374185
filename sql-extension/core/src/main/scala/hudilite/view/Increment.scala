package hudilite.view

import hudilite.commit.{AsOf, Committed}
import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.timeline.{TimelineArchive, TimelineFiles}

/** Base files for an incremental query. Its rows are those that the commits of a range wrote and
  * that the state after the last of them still contains. Each row appears once, as it is in that
  * state.
  * @param instants instants of the commits; each row has one of them as its commit time
  * @param slices   base files that contain these rows, among others
  * @param snapshot state after the last commit, or the latest settled one if the range has no commit
  * @param archived range of commit times, both ends exclusive, that rows of archived commits have;
  *                 None if the range begins on the active timeline
  * @param heldBack pending write because of which the range ends before the latest commit, if it has no
  *                 end, see [[hudilite.commit.EarlierStates.settledSteps]] */
final case class Increment(
    instants: Seq[String],
    slices: Seq[FileSlice],
    snapshot: TableSnapshot,
    archived: Option[(String, String)] = None,
    heldBack: Option[String] = None
) {

  /** Whether the commits only rewrote files for other columns, or kept all rows. */
  def keepsRows: Boolean = archived.isEmpty &&
    instants.iterator.flatMap(snapshot.metadata(_)).forall(commit =>
      commit.isOfColumns || commit.keepsRows
    )
}

object Increment {

  /** Returns the base files of the commits in a range. If it begins before the active timeline of a
    * table that was archived, or at a commit that a savepoint has kept there, all base files are in
    * the result: a row has the time of its commit, and the state after the range contains it whatever
    * the archive says.
    * @param begin start of the range, exclusive. The instant of a commit selects by commit number,
    *              as design D10 orders commits. Any other digits are compared with the instants as
    *              text.
    * @param end   end of the range, inclusive, selected in the same way; None: the latest settled commit
    * Errors: HUDILITE_VERSION_NOT_FOUND if the range ends before the active timeline of a table that
    * was archived; HUDILITE_SNAPSHOT_EXPIRED if a file is gone; those of
    * [[TableConfig.checkTellsChanges]] and [[TableSnapshot.slices]].
    * Source: hudi-format §7.4. */
  def of(
      timeline: TimelineFiles,
      config: TableConfig,
      begin: String,
      end: Option[String]
  ): Increment = {
    config.checkTellsChanges(timeline.basePath.toString)
    val states = Committed.earlier(timeline)
    val steps = if (end.isEmpty) states.settled else states.steps
    val first = states.steps.indexWhere(_.contains(begin))
    val last = end.fold(-1)(time => steps.indexWhere(_.contains(time)))
    val instants = steps.zipWithIndex.flatMap { case (times, n) =>
      val isAfter = (time: String) => if (first < 0) time > begin else n > first
      val isBefore = (time: String) => if (last < 0) end.forall(time <= _) else n <= last
      times.filter(time => isAfter(time) && isBefore(time))
    }
    val heldBack = if (end.isEmpty) states.holdingBack else None
    val settled = heldBack.flatMap(_ => steps.lastOption.map(_.last))
    val asked = instants.lastOption.orElse(settled).map(AsOf.Version(_))
    val snapshot = TableSnapshot.load(timeline, config, asked)
    val active = for {
      first <- states.latest.firstActive if begin < first
      whole <- (states.afterArchived(config) ++ states.latest.times.headOption).maxOption
      if begin < whole && TimelineArchive.hasCommits(timeline, config)
    } yield whole
    for (whole <- active; time <- end) if (last < 0 && time < whole) throw ended(timeline, time)
    val archived = active.map(whole => end.fold(whole)(time => if (time < whole) time else whole))
      .filter(begin < _)
    val slices =
      if (archived.nonEmpty) snapshot.allSlices
      else touched(snapshot, instants)
    Increment(instants, slices, snapshot, archived.map(begin -> _), heldBack)
  }

  private def touched(snapshot: TableSnapshot, instants: Seq[String]): Seq[FileSlice] = {
    val groups = instants.flatMap(snapshot.metadata).flatMap(_.stats)
      .groupMap(_.partitionPath)(_.fileId).view.mapValues(_.toSet).toMap
    groups.toSeq.sortBy(_._1).flatMap { case (partition, ids) =>
      snapshot.slices(partition).filter(slice => ids(slice.fileId))
    }
  }

  private def ended(timeline: TimelineFiles, end: String) = HudiliteException(
    "HUDILITE_VERSION_NOT_FOUND",
    "table" -> timeline.basePath.toString,
    "version" -> end,
    "reason" -> "it is before the active timeline, and the commits before that were archived",
    "fix" -> "Write a later end. CALL show_timeline(table => '...') lists the instants of the table."
  )
}
