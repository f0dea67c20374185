package hudilite.timeline

import scala.annotation.tailrec

import hudilite.format.BucketCounts

/** One state of one action on the timeline.
  * @param time       requested time, 14 or 17 digits, compared as text
  * @param action     commit, replacecommit, clean, rollback, restore, savepoint ...
  * @param completion time of completion of a completed state, if the name of its file has it: in
  *                   table version 6 none has, in versions 8 and 9 each has. Only that name depends on it. The order of instants
  *                   and all table states follow from requested times and commit numbers, so a
  *                   state whose time of completion is unknown counts like any other.
  * Source: hudi-format §3.1. */
final case class Instant(
    time: String,
    action: String,
    state: Instant.State,
    completion: Option[String] = None
) {

  /** Whether the action writes base or log files, or hides them. */
  def isWrite: Boolean = Instant.writes(action) || action == Instant.clustering

  /** Action under which the instant is completed. */
  def completedAction: String =
    if (action == Instant.clustering) Instant.replaceCommit else action
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

  /** Instant that a number has which moves the timeline into the layout of another table version. It
    * never is on a timeline, and its last digit is the version of that layout. */
  def ofMove(layout: TimelineLayout): String = movePrefix + layout.version

  /** Returns the version of the layout into which a number with this instant moves the timeline. */
  def movedTo(time: String): Option[String] =
    Option.when(time.startsWith(movePrefix) && time.length == movePrefix.length + 1)(
      time.drop(movePrefix.length)
    )

  /** Instant that a number has which changes the type of the table. It never is on a timeline. */
  def ofType(isMergeOnRead: Boolean): String = typePrefix + (if (isMergeOnRead) "2" else "1")

  /** Returns whether a number with this instant makes the table merge-on-read, or else copy-on-write; None
    * for another number. */
  def typedAs(time: String): Option[Boolean] =
    Seq(true, false).find(isMergeOnRead => time == ofType(isMergeOnRead))

  /** Instant that a number has which changes the numbers of buckets of the table. It never is on a
    * timeline. After the prefix it contains whether new partitions get the other number, and both
    * numbers with six digits each. */
  def ofCounts(counts: BucketCounts): String = {
    val takesOther = if (counts.takesOther) 1 else 0
    f"$countsPrefix$takesOther${counts.own}%06d${counts.other}%06d"
  }

  /** Returns the numbers of buckets that a number with this instant gives the table. */
  def countsOf(time: String): Option[BucketCounts] =
    if (!time.startsWith(countsPrefix)) None
    else
      time match {
        case countsPattern(takesOther, own, other) =>
          Some(BucketCounts(own.toInt, other.toInt, takesOther == "1"))
            .filter(counts => counts.own > 0 && counts.other > 0)
        case _ => None
      }

  /** Whether a number with this instant changes the table, and commits nothing. */
  def isChange(time: String): Boolean =
    movedTo(time).nonEmpty || typedAs(time).nonEmpty || countsOf(time).nonEmpty

  private val movePrefix = "0" * 16
  private val typePrefix = "0" * 15 + "1"
  private val countsPrefix = "0002"
  private val countsPattern = s"$countsPrefix([01])([0-9]{6})([0-9]{6})".r
  val commit = "commit"
  val replaceCommit = "replacecommit"

  /** Action that writes log files: of a merge-on-read table, and of Hudi's metadata table. */
  val deltaCommit = "deltacommit"

  /** Action of a clustering that is not completed, in table versions 8 and 9. */
  val clustering = "clustering"

  /** Returns the action of a write that hides no file group.
    * @param isMergeOnRead whether the table is merge-on-read */
  def ofWrite(isMergeOnRead: Boolean): String = if (isMergeOnRead) deltaCommit else commit

  /** Actions of completed instants that write base or log files, or hide them. */
  val writes: Set[String] = Set(commit, replaceCommit, deltaCommit)

  private[timeline] val actions: Set[String] = writes ++
    Set(
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

  @tailrec private def isDigits(text: String, length: Int): Boolean =
    length == 0 || {
      val c = text.charAt(length - 1)
      '0' <= c && c <= '9' && isDigits(text, length - 1)
    }
}
