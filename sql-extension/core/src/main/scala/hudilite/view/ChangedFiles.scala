package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.commit.{AsOf, Committed}
import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.timeline.{CommitMetadata, TimelineFiles}

/** File slices that the commits of one step wrote, and the slices that these replaced. A new file group
  * has only a slice after the step, and a hidden file group only one before it.
  * @param instants    instants of the commits, which became visible together
  * @param after       slices with files of the commits, as of the state after them
  * @param before      previous slices of the same file groups, and slices of the file groups that the
  *                    commits hid, as of the state before them
  * @param isOfColumns whether files were rewritten because columns were renamed, dropped or
  *                    widened
  * @param isCompaction whether log files were merged into bases, which changes no row */
final case class ChangedFiles(
    instants: Seq[String],
    after: ChangedFiles.Slices,
    before: ChangedFiles.Slices,
    isOfColumns: Boolean,
    isCompaction: Boolean
)

object ChangedFiles {

  /** File slices of one state.
    * @param state the state, whose commits decide which blocks of log files count; None if there is no
    *              commit before the first one, and there are no slices */
  final case class Slices(all: Seq[FileSlice], state: Option[TableSnapshot])

  /** Changes between two table states.
    * @param steps in commit order, without those that only rewrote files
    * @param last  last state, whose columns apply to all steps; None if the range has no commit */
  final case class Between(steps: Seq[ChangedFiles], last: Option[TableSnapshot])

  /** Returns the changes between two table states.
    * @param from instant of the first state, exclusive; None: before the first commit of the active
    *             timeline
    * @param to   instant of the last state, inclusive; None: the latest
    * Errors: HUDILITE_VERSION_NOT_FOUND for an instant that is no version, or a last one that comes
    * before the first; HUDILITE_COLUMNS_CHANGED if columns were renamed, dropped or widened in
    * between; HUDILITE_SNAPSHOT_EXPIRED if a file is gone; those of
    * [[TableConfig.checkTellsChanges]] and [[TableSnapshot.slices]]. */
  def between(
      timeline: TimelineFiles,
      config: TableConfig,
      from: Option[String],
      to: Option[String]
  ): Between = {
    def at(instant: String) =
      TableSnapshot.load(timeline, config, Some(AsOf.Version(instant)))
    config.checkTellsChanges(timeline.basePath.toString)
    val steps = Committed.steps(timeline)
    def place(instant: String): Int = {
      val found = steps.indexWhere(_.contains(instant))
      if (found < 0) at(instant): Unit // throws the error that says why
      found
    }
    val (first, last) = (from.fold(-1)(place), to.fold(steps.size - 1)(place))
    if (last < first) throw backwards(timeline.basePath, from, to)
    val snapshots = steps.slice(first max 0, last + 1).map(step => at(step.last))
    val befores = if (first < 0) None +: snapshots.map(Option(_)) else snapshots.map(Option(_))
    val afters = if (first < 0) snapshots else snapshots.drop(1)
    val changes = steps.slice(first + 1, last + 1).lazyZip(befores).lazyZip(afters).map(of).toSeq
    checkColumns(timeline.basePath, changes)
    Between(changes.filterNot(of => of.isOfColumns || of.isCompaction), afters.lastOption)
  }

  /** Whether files were rewritten since a commit because columns were renamed, dropped or widened.
    * @param instant instant of the commit */
  def hasChangedColumns(timeline: TimelineFiles, instant: String): Boolean = {
    val committed = Committed.load(timeline)
    Committed.steps(timeline).flatten.dropWhile(_ != instant).drop(1)
      .flatMap(committed.metadata(timeline, _)).exists(changesColumns)
  }

  private def changesColumns(commit: CommitMetadata): Boolean =
    commit.isOfColumns && commit.stats.nonEmpty

  /** Fails if a commit that changes columns comes after another commit of the range, because rows
    * before and after it have different columns. Such a commit itself changes no rows. */
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

  private def of(
      instants: Seq[String],
      before: Option[TableSnapshot],
      after: TableSnapshot
  ): ChangedFiles = {
    val commits = instants.flatMap(after.metadata)
    val written = commits.flatMap(_.stats).groupMap(_.partitionPath)(_.fileId)
    val hidden = commits.flatMap(_.replacedFileIds).groupMapReduce(_._1)(_._2)(_ ++ _)
    val names = commits.flatMap(_.stats).map(_.fileName).toSet
    def slices(snapshot: TableSnapshot, groups: Map[String, Seq[String]]) =
      groups.toSeq.sortBy(_._1).flatMap { case (partition, ids) =>
        snapshot.slices(partition).filter(slice => ids.contains(slice.fileId))
      }
    def isOfStep(slice: FileSlice) =
      instants.contains(slice.instant) || slice.logs.exists(log => names(log.path.getName))
    val now = slices(after, written).filter(isOfStep)
    val replaced = (now.map(slice => slice.partition -> Seq(slice.fileId)) ++ hidden)
      .groupMapReduce(_._1)(_._2)(_ ++ _)
    ChangedFiles(
      instants,
      Slices(now, Some(after)),
      Slices(before.toSeq.flatMap(slices(_, replaced)), before),
      commits.exists(changesColumns),
      commits.nonEmpty && commits.forall(_.isCompaction)
    )
  }

  private def backwards(basePath: Path, from: Option[String], to: Option[String]) =
    HudiliteException(
      "HUDILITE_VERSION_NOT_FOUND",
      "table" -> basePath.toString,
      "version" -> to.getOrElse(""),
      "reason" -> s"it was committed before ${from.getOrElse("")}, where the changes begin",
      "fix" -> "Write the earlier commit first."
    )
}
