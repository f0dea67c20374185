package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.timeline.{TimelineArchive, TimelineFiles}

/** Changes between two table states.
  * @param steps    in commit order, without those that only rewrote files
  * @param last     last state, whose columns apply to all steps; None if the range has no commit
  * @param instants instants of the range's commits in their order, those that only rewrote files
  *                 among them
  * @param heldBack pending write because of which the range ends before the latest commit, if it has no
  *                 end, see [[hudilite.commit.EarlierStates.settledSteps]] */
final case class ChangesBetween(
    steps: Seq[ChangedFiles],
    last: Option[TableSnapshot],
    instants: Seq[String],
    heldBack: Option[String] = None
) {

  /** Whether the steps change no rows. */
  def keepRows: Boolean =
    steps.forall(changes => changes.after.all.isEmpty && changes.before.all.isEmpty)
}

object ChangesBetween {
  private val expired = "HUDILITE_SNAPSHOT_EXPIRED"

  /** Returns the changes between two table states.
    *
    * From the earliest commit on, the changes lead to the last state from an empty table. If commits of
    * the range were archived, or if a clean has deleted files that their changes need, then all rows of
    * the earliest state after which this does not hold are inserts of the commit that led to it, as
    * the rows of the first version that a stream of Delta's change data feed reads.
    * @param from instant of the first state, exclusive; None: the earliest
    * @param to   instant of the last state, inclusive; None: the latest settled one
    * @param isStrict whether it is an error that the earliest state is not that before the first commit
    * Errors: HUDILITE_VERSION_NOT_FOUND for an instant that is no version, or a last one that comes
    * before the first; HUDILITE_CHANGES_EXPIRED if the changes after the first one can no longer be
    * told; HUDILITE_COLUMNS_CHANGED if columns were renamed, dropped or widened in between;
    * HUDILITE_SNAPSHOT_EXPIRED if the last state has lost a file; those of
    * [[TableConfig.checkTellsChanges]] and [[TableSnapshot.slices]]. */
  def of(
      timeline: TimelineFiles,
      config: TableConfig,
      from: Option[String],
      to: Option[String],
      isStrict: Boolean = false
  ): ChangesBetween = {
    config.checkTellsChanges(timeline.basePath.toString)
    val states = new TableStates(timeline, config)
    def place(instant: String): Option[Int] =
      Some(states.steps.indexWhere(_.contains(instant))).filter(_ >= 0)
    val last = to.fold(states.settled.size - 1) { instant =>
      place(instant).getOrElse(unknown(states, instant))
    }
    val told = new Told(states, last, timeline.basePath)
    val first = from.map { instant =>
      place(instant).getOrElse {
        val isEarlier = states.firstActive.exists(instant < _)
        if (isEarlier && TimelineArchive.hasCommits(timeline, config))
          throw told.lost(instant, archived)
        unknown(states, instant)
      }
    }
    for (n <- first if last < n && to.nonEmpty) throw backwards(timeline.basePath, from, to)
    val instants = states.steps.slice(first.fold(0)(_ + 1), last + 1).flatten
    def isWhole = !TimelineArchive.hasCommits(timeline, config)
    val changes = first.fold(
      if (isStrict) told.sinceFirst(isWhole) else told.sinceEarliest(isWhole)
    )(told.since)
    val sinceRows = changes.dropWhile(hasNoRows)
    checkColumns(timeline.basePath, sinceRows)
    ChangesBetween(
      sinceRows.filterNot(hasNoRows),
      instants.lastOption.map(states.at),
      instants,
      if (to.isEmpty) states.holdingBack else None
    )
  }

  /** Changes of the steps up to a last one, as far as the files for them are there. */
  private final class Told(states: TableStates, last: Int, basePath: Path) {
    private val steps = states.steps

    /** Returns the changes after a step.
      * Errors: HUDILITE_CHANGES_EXPIRED. */
    def since(first: Int): Seq[ChangedFiles] = from(first + 1, steps(first).last)

    /** Returns the changes of all steps.
      * @param isWhole whether no commits were archived
      * Errors: HUDILITE_CHANGES_EXPIRED. */
    def sinceFirst(isWhole: Boolean): Seq[ChangedFiles] =
      if (isWhole) from(0, beginning) else throw lost(beginning, archived)

    private def from(first: Int, text: String): Seq[ChangedFiles] = (first to last).map { n =>
      change(n).fold(reason => throw lost(text, reason), identity)
    }

    /** Returns the changes from the earliest state on.
      * @param isWhole whether no commits were archived
      * Errors: HUDILITE_SNAPSHOT_EXPIRED. */
    def sinceEarliest(isWhole: Boolean): Seq[ChangedFiles] = {
      val all = (0 to last).map(change)
      val lost = all.lastIndexWhere(_.isLeft)
      if (all.isEmpty || lost < 0 && isWhole) all.flatMap(_.toSeq)
      else {
        val begins = (lost.max(0) to last).iterator.map(n => n -> whole(n))
        val (first, rows) = begins.find(_._2.isRight).getOrElse(last -> whole(last))
        rows.fold(throw _, Seq(_)) ++ all.drop(first + 1).flatMap(_.toSeq)
      }
    }

    /** Returns the error for a start whose changes can no longer be told. */
    def lost(from: String, reason: String): HudiliteException = {
      val first = (0 to last).map(change).lastIndexWhere(_.isLeft).max(0)
      HudiliteException(
        "HUDILITE_CHANGES_EXPIRED",
        "table" -> basePath.toString,
        "from" -> from,
        "reason" -> reason,
        "first" -> steps.lift(first).fold("")(_.last)
      )
    }

    /** Returns the changes of a step, or why they can no longer be told. */
    private def change(n: Int): Either[String, ChangedFiles] =
      if (steps(n).exists(states.isAfterArchived)) Left(beyond)
      else {
        val before = steps.lift(n - 1).map(step => step.last -> states.at(step.last))
        found(ChangedFiles.of(steps(n), before, states.at(steps(n).last)))
          .left.map(_.parameters("retention"))
      }

    private def whole(n: Int): Either[HudiliteException, ChangedFiles] =
      found(ChangedFiles.whole(steps(n), states.at(steps(n).last)))

    private def found(of: => ChangedFiles): Either[HudiliteException, ChangedFiles] =
      try Right(of)
      catch { case e: HudiliteException if e.condition == expired => Left(e) }
  }

  private val beginning = "its creation"
  private val beyond = "commits were archived that came after one with a savepoint"
  private val archived = "it is before the active timeline, and the commits there were archived"

  /** Fails with the reason why an instant is no version. */
  private def unknown(states: TableStates, instant: String): Nothing = {
    states.at(instant): Unit
    throw new IllegalStateException(s"INTERNAL: $instant is a version, but no step has it")
  }

  /** Whether commits change no rows: they rewrite files for other columns, or keep all rows. */
  private def hasNoRows(changes: ChangedFiles): Boolean = changes.isOfColumns || changes.keepsRows

  /** Fails if a commit that changes columns comes after another commit, because rows before and after
    * it have different columns.
    * @param changes those of the range, from the first that changes rows */
  private def checkColumns(basePath: Path, changes: Seq[ChangedFiles]): Unit =
    changes.zip(changes.drop(1)).collectFirst {
      case (last, next) if next.isOfColumns =>
        throw HudiliteException(
          "HUDILITE_COLUMNS_CHANGED",
          "table" -> basePath.toString,
          "instant" -> next.instants.last,
          "before" -> last.instants.last
        )
    }: Unit

  private def backwards(basePath: Path, from: Option[String], to: Option[String]) =
    HudiliteException(
      "HUDILITE_VERSION_NOT_FOUND",
      "table" -> basePath.toString,
      "version" -> to.getOrElse(""),
      "reason" -> s"it was committed before ${from.getOrElse("")}, where the changes begin",
      "fix" -> "Write the earlier commit first."
    )
}
