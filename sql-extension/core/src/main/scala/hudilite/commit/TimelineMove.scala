package hudilite.commit

import java.time.ZoneId

import hudilite.error.HudiliteException
import hudilite.format.{ChangedVersion, TableConfig, TableVersion}
import hudilite.timeline.{
  CommitChecksum,
  Completions,
  ConvertedFile,
  Instant,
  Timeline,
  TimelineFiles
}

/** Move of a table's timeline into the layout of another table version. Runs on the driver.
  *
  * A commit number decides the move; from then on, no write in the old layout gets a number. The
  * replacement of the properties makes it visible. Each file of the timeline is in the new layout
  * before that, and is deleted from the old one after it. Every step can be repeated, by this process
  * or by the next writer after a crash.
  * @param files files of the timeline in the old layout
  * @param zone  zone in which the timeline names its instants
  * Source: table-versions §3.3, §7.9. */
private[hudilite] final class TimelineMove(files: TimelineFiles, zone: ZoneId) {
  private val numbers = new CommitNumbers(files)

  /** Creates the files of the new layout that are missing; deletes none.
    * @return the instants as the new layout has them
    * Errors: those of [[TimelineMove.checkKnown]]; HUDILITE_CORRUPT_TIMELINE. */
  def prepare(version: TableVersion): Set[Instant] = {
    val to = files.inVersion(version)
    val there = to.instants()
    val known = converted(to, order())
    TimelineMove.checkKnown(to, there, known.map(_._1))
    copy(known, to, there.toSet)
  }

  /** Takes the number that decides the move.
    * @return false if the number is taken */
  def decide(number: Long, version: TableVersion, writer: String): Boolean = {
    val record = CommitRecord(
      CommitRecord.Moved,
      Instant.ofMove(files.inVersion(version).layout),
      Instant.commit,
      writer,
      Set.empty,
      None,
      version = Some(version.code)
    )
    numbers.create(number, record)
  }

  /** Does what is left of a move that is decided.
    * @param number the number that decided it
    * @return number of instants on the timeline */
  def finish(number: Long, version: TableVersion): Int = {
    val to = files.inVersion(version)
    numbers.hint(number, Instant.ofMove(to.layout))
    val known = converted(to, order())
    val there = to.instants().toSet
    val config = files.config()
    if (config.version.timelineLayout == files.layout.version) {
      val wanted = copy(known, to, there)
      (there -- wanted).foreach(to.delete) // of an earlier move that was interrupted
      files.replaceConfig(ChangedVersion.of(config, version, number))
      removeOld(known.map(_._1).toSet, to)
    }
    known.map(_._2).map(i => (i.time, i.completedAction)).distinct.size
  }

  /** Deletes the files of the old layout once the properties state the new one. A file that was
    * created since the instants were listed is moved, too. */
  private def removeOld(known: Set[Instant], to: TimelineFiles): Unit = {
    val found = files.instants()
    val late = found.filterNot(known).toSet
    if (late.nonEmpty) copy(converted(to, Map.empty, late), to, to.instants().toSet): Unit
    files.storage.deleteAll(found)(files.path): Unit
    if (late.nonEmpty) removeOld(known ++ late, to)
  }

  /** Creates files of the new layout, the completed ones last.
    * @param pairs instants in the old and in the new layout
    * @param there instants that have a file in the new layout
    * @return the instants in the new layout */
  private def copy(
      pairs: Vector[(Instant, Instant)],
      to: TimelineFiles,
      there: Set[Instant]
  ): Set[Instant] = {
    val missing = pairs.filterNot(pair => there(pair._2))
    val (done, begun) = missing.partition(_._1.state == Instant.Completed)
    (begun ++ done).foreach { case (old, moved) =>
      to.create(moved, ConvertedFile.content(old, files, to)): Unit
    }
    pairs.map(_._2).toSet
  }

  /** Returns the place of each committed instant in the order in which they became visible. */
  private def order(): Map[String, Int] = Committed.steps(files).flatten.zipWithIndex.toMap

  /** Returns each instant of the old layout with the same one in the new layout.
    * @param order place of each commit; others come after them, in the order of their instants
    * @param isOf  which instants are returned */
  private def converted(
      to: TimelineFiles,
      order: Map[String, Int],
      isOf: Instant => Boolean = _ => true
  ): Vector[(Instant, Instant)] = {
    val changed = files.list().map { case (i, entry) => i -> entry.modifiedMillis }.toMap
    val timeline = Timeline.named(files)
    val instants = timeline.instants.filter(isOf)
    val completions =
      if (to.layout.namesCompletion && !files.layout.namesCompletion)
        times(instants, order, recordedTimes(timeline), changed.getOrElse(_, 0L))
      else Map.empty[Instant, String]
    instants.map { i =>
      i -> ConvertedFile.instant(i, to.layout, i.completion.orElse(completions.get(i)))
    }
  }

  private def times(
      instants: Vector[Instant],
      order: Map[String, Int],
      recorded: Map[String, String],
      changed: Instant => Long
  ): Map[Instant, String] = {
    val (writes, others) = instants.filter(_.state == Instant.Completed).partition(_.isWrite)
    val sorted = writes.sortBy(i => (order.getOrElse(i.time, order.size), i.time))
    Completions.of(
      sorted.map(i => Completions.Done(i, changed(i), recorded.get(i.time))),
      others.map(i => Completions.Done(i, changed(i), None)),
      zone
    )
  }

  /** Returns the times of completion in the numbers of the commits on the timeline. Only a table that
    * was moved before has any. */
  private def recordedTimes(timeline: Timeline): Map[String, String] = {
    val listed = numbers.list()
    if (TimelineMove.last(listed.hints).isEmpty) Map.empty
    else
      (for {
        (n, time) <- listed.hints.toSeq if timeline.completedTimes(time)
        record = numbers.read(n)
        (instant, completion) <-
          record.completion.map(record.instant -> _) ++
            record.before.flatMap(of => of.completion.map(of.instant -> _))
      } yield instant -> completion).toMap
  }
}

private[hudilite] object TimelineMove {

  /** Decided move.
    * @param number the number that decides it
    * @param layout version of the layout into which the timeline moves */
  final case class Decided(number: Long, layout: String)

  /** Whether a decided move is not done: the properties do not tell of it, and no later number exists.
    * Otherwise stock Hudi may have moved the timeline again.
    * @param highest highest commit number */
  def isOpen(move: Decided, config: TableConfig, highest: Long): Boolean =
    highest == move.number && config.versionNumber < move.number

  /** Returns the last decided move, by the hints of the numbers. */
  def last(hints: Map[Long, String]): Option[Decided] = hints.iterator
    .flatMap { case (n, time) => Instant.movedTo(time).map(Decided(n, _)) }
    .maxByOption(_.number)

  /** Fails if the layout that a table does not have contains a commit of another program that the table
    * lacks: stock Hudi moves files one by one, so it may be the only copy.
    * @param other files of the timeline in that layout
    * @param found instants that have a file there
    * @param known instants of the table
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  def checkKnown(other: TimelineFiles, found: Seq[Instant], known: Seq[Instant]): Unit = {
    val times = known.map(_.time).toSet
    found.filter(i => i.state == Instant.Completed && i.isWrite && !times(i.time))
      .find(i => !CommitChecksum.isIn(other.read(i)))
      .foreach { lost =>
        throw HudiliteException(
          "HUDILITE_UNSUPPORTED_TABLE",
          "path" -> other.basePath.toString,
          "fact" -> "commit of another table version",
          "value" -> other.place(lost),
          "fix" -> ("If stock Hudi was interrupted while it changed the version, call its procedure " +
            "again. If the commit was undone since, delete this file.")
        )
      }
  }

  /** Returns the error for a table whose version has changed since it was opened. */
  def changed(table: String, number: Long): HudiliteException =
    CommitLog.concurrent(
      table,
      "all, because the version of the table has changed",
      s"number $number"
    )

  /** Returns the version that a number gives the table.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def version(files: TimelineFiles, numbers: CommitNumbers, number: Long): TableVersion = {
    val record = numbers.read(number)
    record.version.flatMap(TableVersion.of).getOrElse(
      throw Timeline.corrupt(files.at(numbers.place(number)), "it names no table version")
    )
  }
}
