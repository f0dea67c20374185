package hudilite.timeline

import scala.collection.Searching.{Found, InsertionPoint}

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException

/** Active timeline: the instants in one listing of the timeline folder, sorted by
  * [[TimelineLayout.order]]. Of two completed files of one action that differ only in the time of
  * completion, the earlier one counts.
  * @param stamps         stamps of the completed files of writes, by instant time; empty if only
  *                       names were listed
  * @param lastCompletion highest time of completion in the name of a file, None in table version 6 */
final case class Timeline(
    instants: Vector[Instant],
    stamps: Map[String, Timeline.Stamp] = Map.empty,
    lastCompletion: Option[String] = None
) {

  /** Completed commits, replacecommits and deltacommits. */
  lazy val completed: Vector[Instant] =
    instants.filter(i => i.isWrite && i.state == Instant.Completed)

  /** Returns the one of these with an instant time. */
  def completedAt(time: String): Option[Instant] = indexOf(completed, time).map(completed)

  private def indexOf(sorted: Vector[Instant], time: String): Option[Int] =
    sorted.search(Instant(time, "", Instant.Completed))(Timeline.byTime) match {
      case Found(at) => Some(at)
      case InsertionPoint(_) => None
    }

  /** Instant times of these. */
  lazy val completedTimes: Set[String] = completed.map(_.time).toSet

  /** Completed writes in the order in which they were completed, as far as the
    * names of their files show it; otherwise in the order of their instants. */
  lazy val byCompletion: Vector[Instant] =
    completed.sortBy(i => (i.completion.getOrElse(i.time), i.time))

  /** Instants of writes that are not completed. */
  lazy val pending: Set[String] =
    instants.iterator.filter(i => i.isWrite && completedAt(i.time).isEmpty).map(_.time).toSet

  /** Instants of compactions that stock Hudi has planned and not completed. */
  lazy val plannedCompactions: Set[String] = instants.iterator
    .filter(i => DoneAction.completedAs.contains(i.action) && completedAt(i.time).isEmpty)
    .map(_.time).toSet

  /** Returns the highest of [[last]] and the times of completion. A new instant must be above it: else the log
    * files of a commit that its writer has read would belong to the slice of its base file. */
  def lastTime: Option[String] = (last ++ lastCompletion).maxOption

  /** Whether a file of any action has an instant time. */
  def isKnown(time: String): Boolean = indexOf(instants, time).nonEmpty

  /** Whether an action with a later instant is completed. */
  def isCompletedAfter(time: String): Boolean =
    instants.exists(i => i.time > time && i.state == Instant.Completed)

  /** Returns the highest instant of any action and state; a new instant must be above it. */
  def last: Option[String] = instants.lastOption.map(_.time)

  /** First completed write that a savepoint did not protect from archival: all instants before it
    * were archived. If savepoints protect all, the first completed write.
    * Source: hudi-format §7.2. */
  lazy val firstActive: Option[String] = {
    val saved = instants.filter(_.action == "savepoint").map(_.time).toSet
    completed.find(i => !saved(i.time)).orElse(completed.headOption).map(_.time)
  }

  /** Whether an instant's requested file exists. */
  def isRequested(time: String, action: String): Boolean =
    known((time, action, Instant.Requested))

  /** Whether an instant's inflight file exists. */
  def isInflight(time: String, action: String): Boolean =
    known((time, action, Instant.Inflight))

  /** Whether an instant's completed file exists. */
  def isCompleted(time: String, action: String): Boolean =
    known((time, action, Instant.Completed))

  private lazy val known: Set[(String, String, Instant.State)] =
    instants.map(i => (i.time, i.action, i.state)).toSet
}

object Timeline {

  /** Stamp of a file in a listing, to find out whether the file has changed since another listing.
    * @param bytes          length of the file
    * @param modifiedMillis last change by the storage's clock, milliseconds since 1970 */
  final case class Stamp(bytes: Long, modifiedMillis: Long)

  /** Reads the active timeline with one listing; ignores files that are not part of the timeline.
    * @return an empty timeline if there is no table
    * Errors: HUDILITE_CORRUPT_TIMELINE for an empty completed file of a write, or for an instant
    * that is completed by two actions. */
  def load(files: TimelineFiles): Timeline = load(files, files.metadata())

  /** Reads the active timeline as [[load]] does.
    * @param listed listing of the metadata folder, in which the timeline may lie */
  private[hudilite] def load(files: TimelineFiles, listed: MetadataFolder): Timeline = {
    val found = files.list(listed)
    val written = found.filter { case (instant, _) =>
      instant.isWrite && instant.state == Instant.Completed
    }
    written.find(_._2.length == 0).foreach { case (_, empty) =>
      throw corrupt(empty.path, "the completed file is empty")
    }
    val timeline = of(files, found.map(_._1))
    val stamps = written.iterator.collect {
      case (instant, entry) if timeline.completedAt(instant.time).contains(instant) =>
        instant.time -> Stamp(entry.length, entry.modifiedMillis)
    }
    timeline.copy(stamps = stamps.toMap)
  }

  /** Reads the names alone, which costs less, for a writer whose snapshot has loaded the whole
    * timeline. */
  private[hudilite] def named(files: TimelineFiles): Timeline = of(files, files.instants())

  /** Reads the names alone, as [[named]] does.
    * @param listed listing of the metadata folder, in which the timeline may lie */
  private[hudilite] def named(files: TimelineFiles, listed: MetadataFolder): Timeline =
    of(files, files.list(listed).map(_._1))

  private def of(files: TimelineFiles, found: Seq[Instant]): Timeline = {
    val order = files.layout.order
    val sorted = found.sorted(order.orElse(byCompletion)).toVector
    val instants = sorted.headOption.toVector ++
      sorted.lazyZip(sorted.drop(1)).filter((a, b) => order.compare(a, b) != 0).map(_._2)
    val completed = instants.filter(_.state == Instant.Completed)
    completed.lazyZip(completed.drop(1)).filter((a, b) => a.time == b.time).map(_._1.time)
      .foreach(time => checkOneMeaning(files, completed.filter(_.time == time)))
    Timeline(instants, lastCompletion = found.flatMap(_.completion).maxOption)
  }

  private val byTime: Ordering[Instant] = Ordering.by(_.time)
  private val byCompletion: Ordering[Instant] = Ordering.by(_.completion)

  private def checkOneMeaning(files: TimelineFiles, sameTime: Vector[Instant]): Unit = {
    val actions = sameTime.map(_.action).filter(_ != "savepoint")
    if (actions.length > 1)
      throw corrupt(
        files.path(sameTime.last),
        s"the instant is completed as ${actions.mkString(" and as ")}"
      )
  }

  /** Returns the error for a timeline file that neither Hudi nor hudilite can have written so. */
  private[hudilite] def corrupt(path: Path, reason: String): HudiliteException =
    HudiliteException(
      "HUDILITE_CORRUPT_TIMELINE",
      "path" -> path.toString,
      "reason" -> reason,
      "fix" -> ("Restore the file from a copy, or roll back the instant with stock Hudi. " +
        "Do not delete only this file.")
    )
}
