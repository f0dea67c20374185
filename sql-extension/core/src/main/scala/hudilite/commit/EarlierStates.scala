package hudilite.commit

import hudilite.format.TableConfig
import hudilite.timeline.{PendingPlans, TimelineArchive, TimelineFiles}

/** Earlier states of a table, from one reading of its commits.
  * @param states committed instants of the active timeline */
final class EarlierStates private[commit] (files: TimelineFiles, states: States) {

  /** Returns the commits that count now. */
  def latest: Committed = states.latest

  /** Returns the committed instants as [[Committed.steps]]. */
  def steps: Vector[Vector[String]] = states.steps

  private lazy val pending = {
    val clusterings = PendingPlans.clusterings(files, latest.timeline).map(_.time) // change no rows
    (states.pending -- clusterings).minOption
  }

  /** Number of the first steps before which no pending write can come, see
    * [[States.settledSteps]]. */
  lazy val settledSteps: Int = states.settledSteps(pending)

  /** Returns the steps that are settled. */
  def settled: Vector[Vector[String]] = steps.take(settledSteps)

  /** Instant of the pending write that holds back the steps which are not settled; None if all are. */
  def holdingBack: Option[String] = if (settledSteps < steps.size) pending else None

  /** Returns the commits of the active timeline before which later ones than its first were archived.
    * Stock Hudi leaves commits with savepoints there if `hoodie.archive.beyond.savepoint` is set. Reads
    * the archive if a savepoint protects the first commit. */
  def afterArchived(config: TableConfig): Set[String] = {
    val times = latest.times
    val archived = for {
      first <- times.headOption.toSet[String]
      active <- latest.firstActive.toSet[String] if first < active
      time <- TimelineArchive.writes(files, config, first, active)
    } yield time
    (archived -- times).flatMap(time => times.find(_ > time))
  }

  /** Returns the commits that counted at a state.
    * Errors: HUDILITE_VERSION_NOT_FOUND. */
  def at(asked: AsOf): Committed = Committed.at(files, states, asked)
}
