package hudilite.commit

import org.apache.hadoop.fs.Path

import hudilite.io.{SoftCache, Storage}
import hudilite.timeline.TimelineFiles

/** Folder with the names of a table's latest numbers, because a listing of all numbers costs more
  * with each commit. A short history does not have the folder. It holds empty files: the hint of
  * each number since the checkpoint before the newest one, and the name of each checkpoint since
  * then. The numbers are the truth. A missing name is found by the number, and names that do not
  * fit are ignored, with the checkpoint to which they point.
  * Source: design D10. */
private[commit] final class RecentNames(files: TimelineFiles) {
  import RecentNames._

  private val storage = files.storage
  private val folder = files.at(files.layout.recentCommits)

  /** Lists the names. The numbers themselves are not in the result. */
  def found(): CommitNumbers.Found =
    CommitNumbers.Found.of(storage.names(folder)).copy(numbers = Set.empty)

  /** Creates the hint of a number. */
  def hint(n: Long, instant: String): Unit =
    if (has(n)) storage.touch(file(CommitNumbers.hintName(n, instant)))

  /** Creates the name of a checkpoint, and deletes names that no load needs any more: those before
    * the checkpoint that precedes it.
    * @param listed names from which the checkpoint was made */
  def checkpoint(n: Long, listed: CommitNumbers.Found): Unit = if (has(n)) {
    storage.touch(file(CommitNumbers.checkpointName(n)))
    val before = listed.checkpoints.filter(_ < n).maxOption.getOrElse(0L)
    if (listed.numbers.nonEmpty) listed.hints.get(n).foreach(hint(n, _)) // all numbers were listed
    else {
      val hints = listed.hints.toSeq.filter(_._1 < before).map((CommitNumbers.hintName _).tupled)
      val older = listed.checkpoints.toSeq.filter(_ < before).map(CommitNumbers.checkpointName)
      storage.deleteAll(hints ++ older)(file): Unit
    }
  }

  /** Keeps which instants a checkpoint covers. */
  def keep(covered: Committed.Covered): Unit =
    if (has(covered.checkpoint.number)) RecentNames.kept.put(folder, covered)

  /** Returns what this process has kept last. */
  def kept: Option[Committed.Covered] = RecentNames.kept.get(folder)

  /** Notes that a number exists, with its instant. */
  def see(number: (Long, String)): Unit = if (has(number._1)) seen.put(folder, number)

  /** Whether this process has last seen this number. */
  def isSeen(number: (Long, String)): Boolean = seen.get(folder).contains(number)

  /** Whether a number has a name here. Before the first one that has, a listing of all numbers with
    * their hints is short. */
  private def has(n: Long): Boolean = n >= storage.longListing * 2L / 5

  private def file(name: String): Path = Storage.resolve(folder, name)
}

private object RecentNames {
  private val kept = new SoftCache[Path, Committed.Covered]
  private val seen = new SoftCache[Path, (Long, String)]
}
