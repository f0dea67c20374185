package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.format.TableConfig
import hudilite.io.Storage
import hudilite.timeline.{AsOf, Committed}

/** The rows that some commits have left, as far as the last of them still shows them: each once, as
  * it then was.
  * @param instants of the commits; the rows bear one of them as their commit time
  * @param slices   the base files that hold these rows, among others
  * @param snapshot the state of the last commit, or the latest where there is none */
final case class Increment(
    instants: Seq[String],
    slices: Seq[FileSlice],
    snapshot: TableSnapshot
)

object Increment {

  /** @param begin instant after which commits count; one that is a commit's goes by its number, as
    *              design D10 orders them, and any other digits by the texts of the instants
    * @param end   instant up to which they count, itself included; None: the latest
    * Errors: HUDILITE_SNAPSHOT_EXPIRED where a file is gone; those of [[TableSnapshot.slices]].
    * Source: hudi-format §7.4. */
  def of(
      storage: Storage,
      basePath: Path,
      config: TableConfig,
      begin: String,
      end: Option[String]
  ): Increment = {
    val steps = Committed.steps(storage, basePath)
    val first = steps.indexWhere(_.contains(begin))
    val last = end.fold(-1)(time => steps.indexWhere(_.contains(time)))
    val told = steps.zipWithIndex.flatMap { case (instants, n) =>
      val isAfter = (time: String) => if (first < 0) time > begin else n > first
      val isBefore = (time: String) => if (last < 0) end.forall(time <= _) else n <= last
      instants.filter(time => isAfter(time) && isBefore(time))
    }
    val asked = told.lastOption.map(AsOf.Version(_))
    val snapshot = TableSnapshot.load(storage, basePath, config, asked)
    val groups = told.flatMap(snapshot.metadata).flatMap(_.stats)
      .groupMap(_.partitionPath)(_.fileId).view.mapValues(_.toSet).toMap
    val slices = groups.toSeq.sortBy(_._1).flatMap { case (partition, ids) =>
      snapshot.slices(partition).filter(slice => ids(slice.fileId))
    }
    Increment(told, slices, snapshot)
  }
}
