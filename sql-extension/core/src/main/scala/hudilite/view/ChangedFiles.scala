package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.io.Storage
import hudilite.timeline.{AsOf, Committed}

/** The base files that commits have put in the place of others, both as far as they are there.
  * @param instants of the commits, which came to count at once
  * @param after    what they wrote
  * @param before   what the same file groups were before, and the hidden ones
  * @param isOfColumns whether it was written because columns were renamed, dropped or widened */
final case class ChangedFiles(
    instants: Seq[String],
    after: Seq[FileSlice],
    before: Seq[FileSlice],
    isOfColumns: Boolean
)

object ChangedFiles {

  /** What was changed between two states.
    * @param steps in the order in which they came to count
    * @param last  the last state, which tells the columns of all of them; None where no commit is told */
  final case class Between(steps: Seq[ChangedFiles], last: Option[TableSnapshot])

  /** What was changed between two states.
    * @param from the first state's instant, whose changes are not told; None: before the first
    *             commit of the active timeline
    * @param to   the last state's instant, whose changes are told; None: the latest
    * Errors: HUDILITE_VERSION_NOT_FOUND for an instant that is no version, or a last one that comes
    * before the first; HUDILITE_COLUMNS_CHANGED where columns were renamed, dropped or widened in
    * between; HUDILITE_SNAPSHOT_EXPIRED where a file is gone; those of [[TableSnapshot.slices]]. */
  def between(
      storage: Storage,
      basePath: Path,
      config: TableConfig,
      from: Option[String],
      to: Option[String]
  ): Between = {
    def at(instant: String) =
      TableSnapshot.load(storage, basePath, config, Some(AsOf.Version(instant)))
    val steps = Committed.steps(storage, basePath)
    def place(instant: String): Int = {
      val found = steps.indexWhere(_.contains(instant))
      if (found < 0) at(instant): Unit // says why there is no such version
      found
    }
    val (first, last) = (from.fold(-1)(place), to.fold(steps.size - 1)(place))
    if (last < first) throw backwards(basePath, from, to)
    val snapshots = steps.slice(first max 0, last + 1).map(step => at(step.last))
    val befores = if (first < 0) None +: snapshots.map(Option(_)) else snapshots.map(Option(_))
    val afters = if (first < 0) snapshots else snapshots.drop(1)
    val changes = steps.slice(first + 1, last + 1).lazyZip(befores).lazyZip(afters).map(of).toSeq
    checkColumns(basePath, changes)
    Between(changes.filterNot(_.isOfColumns), afters.lastOption)
  }

  /** Rows before and after such a commit have other columns. It has no changed rows of its own. */
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
    def slices(snapshot: TableSnapshot, groups: Map[String, Seq[String]]) =
      groups.toSeq.sortBy(_._1).flatMap { case (partition, ids) =>
        snapshot.slices(partition).filter(slice => ids.contains(slice.fileId))
      }
    val replaced = (written.toSeq ++ hidden).groupMapReduce(_._1)(_._2)(_ ++ _)
    ChangedFiles(
      instants,
      slices(after, written).filter(slice => instants.contains(slice.instant)),
      before.toSeq.flatMap(slices(_, replaced)),
      commits.exists(commit => commit.isOfColumns && commit.stats.nonEmpty)
    )
  }

  private def backwards(basePath: Path, from: Option[String], to: Option[String]) =
    HudiliteException(
      "HUDILITE_VERSION_NOT_FOUND",
      "table" -> basePath.toString,
      "version" -> to.getOrElse(""),
      "reason" -> s"it came to count before ${from.getOrElse("")}, from which changes are asked",
      "fix" -> "Name the earlier one first."
    )
}
