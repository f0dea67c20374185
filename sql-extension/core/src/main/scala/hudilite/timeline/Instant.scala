package hudilite.timeline

import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** One state of one action on the timeline, as a file name of table version 6 says it.
  * @param time   instant time, 14 or 17 digits, compared as text
  * @param action commit, replacecommit, clean, rollback, restore, savepoint ...
  * Source: hudi-format §3.1. */
final case class Instant(time: String, action: String, state: Instant.State) {

  /** Name of the file in `.hoodie` that stands for this state. */
  def fileName: String = state match {
    case Instant.Requested => s"$time.$action.requested"
    case Instant.Inflight if action == Instant.commit => s"$time.inflight"
    case Instant.Inflight => s"$time.$action.inflight"
    case Instant.Completed => s"$time.$action"
  }

  /** Path of that file. */
  def path(basePath: Path): Path = Storage.resolve(Timeline.folder(basePath), fileName)

  /** Whether the action writes base files or hides them. */
  def isWrite: Boolean = Instant.writes(action)
}

object Instant {
  sealed trait State
  case object Requested extends State
  case object Inflight extends State
  case object Completed extends State

  val commit = "commit"
  val replaceCommit = "replacecommit"

  /** Actions that write base files or hide them. */
  val writes: Set[String] = Set(commit, replaceCommit)
  private val actions = writes ++
    Set(
      "deltacommit",
      "clean",
      "rollback",
      "restore",
      "savepoint",
      "compaction",
      "logcompaction",
      "indexing"
    )

  private val time = "([0-9]{14}|[0-9]{17})"
  private val commitInflight = s"$time\\.inflight".r
  private val completed = s"$time\\.([a-z]+)".r
  private val pending = s"$time\\.([a-z]+)\\.(requested|inflight)".r

  /** @return the instant that a file name stands for, or nothing for any other name */
  def parse(fileName: String): Option[Instant] = fileName match {
    case commitInflight(t) => Some(Instant(t, commit, Inflight))
    case completed(t, action) if actions(action) => Some(Instant(t, action, Completed))
    case pending(t, action, "requested") if actions(action) => Some(Instant(t, action, Requested))
    case pending(t, action, _) if actions(action) && action != commit =>
      Some(Instant(t, action, Inflight))
    case _ => None
  }

  /** By time, then action, then state in the order of an instant's life. */
  val order: Ordering[Instant] = Ordering.by((i: Instant) => (i.time, i.action, rank(i.state)))

  private def rank(state: State): Int = state match {
    case Requested => 0
    case Inflight => 1
    case Completed => 2
  }
}
