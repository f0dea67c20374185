package hudilite.commit

import hudilite.timeline.{PendingPlans, TimelineFiles}

/** Earlier states of a table, from one reading of its commits.
  * @param states committed instants of the active timeline */
final class EarlierStates private[commit] (files: TimelineFiles, states: States) {

  /** Returns the commits that count now. */
  def latest: Committed = states.latest

  /** Returns the committed instants as [[Committed.steps]]. */
  def steps: Vector[Vector[String]] = states.steps

  /** Returns the number of the first steps before which no pending write can become visible. A pending
    * clustering changes no rows and is not waited for. */
  def settledSteps: Int = {
    lazy val clusterings = PendingPlans.clusterings(files, latest.timeline).map(_.time).toSet
    states.settledSteps(!clusterings(_))
  }

  /** Returns the commits that counted at a state.
    * Errors: HUDILITE_VERSION_NOT_FOUND. */
  def at(asked: AsOf): Committed = Committed.at(files, states, asked)
}
