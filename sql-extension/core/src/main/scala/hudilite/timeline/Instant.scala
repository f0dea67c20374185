package hudilite.timeline

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** One state of one action on the timeline, as the file names of table version 6 express it.
  * @param time   instant time, 14 or 17 digits, compared as text
  * @param action commit, replacecommit, clean, rollback, restore, savepoint ...
  * Source: hudi-format §3.1. */
final case class Instant(time: String, action: String, state: Instant.State) {

  /** Returns the name of the file in `.hoodie` for this state. */
  def fileName: String = state match {
    case Instant.Requested => s"$time.$action.requested"
    case Instant.Inflight if action == Instant.commit => s"$time.inflight"
    case Instant.Inflight => s"$time.$action.inflight"
    case Instant.Completed => s"$time.$action"
  }

  /** Returns the path of that file. */
  def path(basePath: Path): Path = Storage.resolve(Timeline.folder(basePath), fileName)

  /** Whether the action writes base files or hides them. */
  def isWrite: Boolean = Instant.writes(action)
}

object Instant {
  sealed trait State
  case object Requested extends State
  case object Inflight extends State
  case object Completed extends State

  /** Instant of a bootstrap that leaves data in its source files. Source: hudi-format §8.1. */
  val bootstrap = "00000000000001"

  /** Instant of a bootstrap that rewrites its source files. Source: hudi-format §8.1. */
  val fullBootstrap = "00000000000002"

  /** Both instants: a table has each of them at most once, and every attempt of a bootstrap uses
    * the same ones. */
  val bootstraps: Seq[String] = Seq(bootstrap, fullBootstrap)

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

  private val timeLengths = Set(14, 17)

  /** Whether a text is a valid instant time. */
  def isTime(text: String): Boolean = timeLengths(text.length) && isDigits(text, text.length)

  /** Returns the instant that a file name stands for, or None for any other name. */
  def parse(fileName: String): Option[Instant] = {
    val dot = fileName.indexOf('.')
    if (!timeLengths(dot) || !isDigits(fileName, dot)) None
    else meanings.get(fileName.substring(dot)).map(_.copy(time = fileName.substring(0, dot)))
  }

  @tailrec private def isDigits(text: String, length: Int): Boolean =
    length == 0 || {
      val c = text.charAt(length - 1)
      '0' <= c && c <= '9' && isDigits(text, length - 1)
    }

  /** Suffixes of timeline file names, with the action and state that they stand for. */
  private lazy val meanings: Map[String, Instant] = (for {
    action <- actions.toSeq
    state <- Seq(Requested, Inflight, Completed)
    instant = Instant("", action, state)
  } yield instant.fileName -> instant).toMap

  /** Order by time, then action, then state from requested to completed. */
  val order: Ordering[Instant] = (a: Instant, b: Instant) => {
    val byTime = a.time.compareTo(b.time)
    val byAction = if (byTime == 0) a.action.compareTo(b.action) else byTime
    if (byAction == 0) rank(a.state) - rank(b.state) else byAction
  }

  private def rank(state: State): Int = state match {
    case Requested => 0
    case Inflight => 1
    case Completed => 2
  }
}
