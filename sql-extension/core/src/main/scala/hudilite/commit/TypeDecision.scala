package hudilite.commit

import hudilite.error.HudiliteException
import hudilite.format.ChangedTable
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
    val config = files.config()
    val isOpen = config.typeNumber < decided.number
    if (isOpen) {
      numbers.hint(decided.number, Instant.ofType(decided.isMergeOnRead))
      val hasType = decided.isMergeOnRead || !othersCommitted()
      val changed = ChangedTable.retyped(
        config,
        if (hasType) decided.isMergeOnRead else config.isMergeOnRead,
        decided.number,
        if (hasType) Committed.steps(files).lastOption.map(_.last) else config.typeSince
      )
      files.replaceConfig(changed)
    }
    isOpen
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
    * Errors: HUDILITE_CONCURRENT_WRITE. */
  def checkRead(files: TimelineFiles, committed: Committed): Unit =
    committed.retyped.filter(_.isMergeOnRead).filter(_ => files.config().isMergeOnRead)
      .foreach(last => throw changed(files.basePath.toString, last.number))

  /** Returns the error for a table whose type has changed since it was opened. */
  def changed(table: String, number: Long): HudiliteException = CommitLog.concurrent(
    table,
    "all, because the type of the table has changed",
    s"number $number"
  )
}
