package hudilite.commit

import hudilite.timeline.TimelineFiles

/** Earlier states of a table, from one reading of its commits.
  * @param states committed instants of the active timeline */
final class EarlierStates private[commit] (files: TimelineFiles, states: States) {

  /** Returns the commits that count now. */
  def latest: Committed = states.latest

  /** Returns the committed instants as [[Committed.steps]]. */
  def steps: Vector[Vector[String]] = states.steps

  /** Returns the commits that counted at a state.
    * Errors: HUDILITE_VERSION_NOT_FOUND. */
  def at(asked: AsOf): Committed = Committed.at(files, states, asked)
}
