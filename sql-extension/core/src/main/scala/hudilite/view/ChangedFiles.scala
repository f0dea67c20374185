package hudilite.view

import hudilite.commit.Committed
import hudilite.timeline.{CommitMetadata, TimelineFiles}

/** File slices that the commits of one step wrote, and the slices that these replaced. A new file group
  * has only a slice after the step, and a hidden file group only one before it.
  * @param instants    instants of the commits, which became visible together
  * @param after       slices with files of the commits, as of the state after them
  * @param before      previous slices of the same file groups, and slices of the file groups that the
  *                    commits hid, as of the state before them
  * @param isOfColumns whether files were rewritten because columns were renamed, dropped or
  *                    widened
  * @param keepsRows   whether log files were merged into bases, or rows were sorted into other file
  *                    groups, which changes no row */
final case class ChangedFiles(
    instants: Seq[String],
    after: ChangedFiles.Slices,
    before: ChangedFiles.Slices,
    isOfColumns: Boolean,
    keepsRows: Boolean
)

object ChangedFiles {

  /** File slices of one state, whose commits decide which blocks of log files count.
    * @param seen last instant of the state; None if there is no commit before the first one, and there
    *             are no slices */
  final case class Slices(all: Seq[FileSlice], seen: Option[String])

  private[view] val none = Slices(Nil, None)

  /** Whether files were rewritten since a commit because columns were renamed, dropped or widened.
    * @param instant instant of the commit */
  def hasChangedColumns(timeline: TimelineFiles, instant: String): Boolean = {
    val committed = Committed.load(timeline)
    Committed.steps(timeline).flatten.dropWhile(_ != instant).drop(1)
      .flatMap(committed.metadata(timeline, _)).exists(changesColumns)
  }

  private def changesColumns(commit: CommitMetadata): Boolean =
    commit.isOfColumns && commit.stats.nonEmpty

  /** Returns all rows of a state as the changes of its last commits. */
  private[view] def whole(instants: Seq[String], state: TableSnapshot): ChangedFiles = ChangedFiles(
    instants,
    Slices(state.allSlices, instants.lastOption),
    none,
    isOfColumns = false,
    keepsRows = false
  )

  /** Returns the changes of commits that became visible together. Those that keep all rows have no slices:
    * the files that they replaced may be gone.
    * @param instants instants of the commits, at least one
    * @param before   state before them and its last instant; None before the first commit
    * Errors: those of [[TableSnapshot.slices]]. */
  private[view] def of(
      instants: Seq[String],
      before: Option[(String, TableSnapshot)],
      after: TableSnapshot
  ): ChangedFiles = {
    val commits = instants.flatMap(after.metadata)
    if (commits.nonEmpty && commits.forall(_.keepsRows))
      ChangedFiles(instants, none, none, isOfColumns = false, keepsRows = true)
    else changes(instants, commits, before, after)
  }

  private def changes(
      instants: Seq[String],
      commits: Seq[CommitMetadata],
      before: Option[(String, TableSnapshot)],
      after: TableSnapshot
  ): ChangedFiles = {
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
      Slices(now, instants.lastOption),
      before.fold(none) { case (last, state) => Slices(slices(state, replaced), Some(last)) },
      commits.exists(changesColumns),
      keepsRows = false
    )
  }
}
