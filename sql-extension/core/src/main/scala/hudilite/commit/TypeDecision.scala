package hudilite.commit

import hudilite.error.HudiliteException
import hudilite.format.{ChangedTable, TableConfig}
import hudilite.timeline.{FileGroupRef, Instant, Timeline, TimelineFiles}

/** Change of a table's type by a commit number. From that number on, no write that was planned for the
  * other type gets one. The replacement of the properties makes the change visible. Both steps can be
  * repeated, by this process or by the next writer after a crash. Runs on the driver.
  * Source: decision 0022. */
private[hudilite] final class TypeDecision(files: TimelineFiles) {
  import TypeDecision._

  private val numbers = new CommitNumbers(files)

  /** Takes the number that decides the change.
    * @return false if the number is taken */
  def take(decided: Decided, writer: String): Boolean = {
    val record = CommitRecord(
      CommitRecord.Retyped,
      Instant.ofType(decided.isMergeOnRead),
      Instant.commit,
      writer,
      Set(FileGroupRef.wholeTable),
      None
    )
    numbers.create(decided.number, record)
  }

  /** Replaces the properties, unless that was done. If another program has committed since the number
    * was taken, its log files may be the latest: then the table does not become copy-on-write.
    * @return whether anything was left to do */
  def finish(decided: Decided): Boolean = {
    def isOpen(config: TableConfig) = config.typeNumber < decided.number
    isOpen(files.config()) && {
      numbers.hint(decided.number, Instant.ofType(decided.isMergeOnRead))
      val hasType = decided.isMergeOnRead || !othersCommitted()
      val since = Committed.steps(files).lastOption.map(_.last)
      val config = files.config() // another process may have finished the change meanwhile
      val isLeft = isOpen(config)
      if (isLeft)
        files.replaceConfig(ChangedTable.retyped(
          config,
          if (hasType) decided.isMergeOnRead else config.isMergeOnRead,
          decided.number,
          if (hasType) since else config.typeSince
        ))
      isLeft
    }
  }

  /** Finishes the last change if it was interrupted.
    * @return whether anything was left to do */
  def finishLast(): Boolean = {
    val listed = numbers.latest()
    val unseen = Committed.unseen(numbers, listed, Timeline.named(files))
    TypeDecision.last(listed.hints ++ unseen.map(listed.highest -> _.instant))
      .orElse(listed.start.flatMap(_.checkpoint.retyped))
      .exists(finish)
  }

  private def othersCommitted(): Boolean = {
    val known = numbers.instants(numbers.list())
    !Timeline.named(files).completedTimes.forall(known)
  }
}

private[hudilite] object TypeDecision {

  /** Decided change.
    * @param number        the number that decides it
    * @param isMergeOnRead type that the table gets */
  final case class Decided(number: Long, isMergeOnRead: Boolean)

  /** Returns the last decided change, by the hints of the numbers. */
  def last(hints: Map[Long, String]): Option[Decided] = hints.iterator
    .flatMap { case (n, time) => Instant.typedAs(time).map(Decided(n, _)) }
    .maxByOption(_.number)

  /** Fails if a table was opened as copy-on-write, without log files, and is merge-on-read now.
    * @param committed its commits as they are read
    * @param opened    its properties when it was opened
    * Errors: HUDILITE_CONCURRENT_WRITE. */
  def checkRead(files: TimelineFiles, committed: Committed, opened: TableConfig): Unit =
    committed.retyped
      .filter(last => last.isMergeOnRead && last.number > opened.typeNumber)
      .filter(_ => files.config().isMergeOnRead)
      .foreach(last => throw changed(files.basePath.toString, last.number))

  /** Returns the error for a table whose type has changed since it was opened. */
  def changed(table: String, number: Long): HudiliteException = CommitLog.concurrent(
    table,
    "all, because the type of the table has changed",
    s"number $number"
  )
}
