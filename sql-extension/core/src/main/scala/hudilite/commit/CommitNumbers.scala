package hudilite.commit

import org.apache.hadoop.fs.Path

import hudilite.io.Storage
import hudilite.timeline.{CommitMetadata, Instant, Timeline, TimelineFiles}

/** Numbered commits of a table: files with names of 20 digits in a folder of their own. Next to
  * number n there may be an empty file `<n>-<instant>`. It is a hint: it gives the instant without
  * reading n. A missing hint is created again.
  * Source: design D10. */
private[hudilite] final class CommitNumbers(files: TimelineFiles) {
  private val storage = files.storage
  private val folder = files.at(files.layout.commits)

  /** Lists the existing numbers, and the instant of each that has a hint. */
  def found(): (Set[Long], Map[Long, String]) = {
    val names = storage.names(folder)
    val (short, long) = names.partition(_.length == CommitNumbers.digits)
    val numbers = short.collect { case CommitNumbers.number(n) => n.toLong }.toSet
    (numbers, long.collect { case CommitNumbers.hint(n, instant) => n.toLong -> instant }.toMap)
  }

  /** Lists the numbers and checks that none is missing. A listing may omit a number that is created
    * meanwhile and still contain a later one, so each missing number is looked up by its name.
    * Errors: HUDILITE_CORRUPT_TIMELINE if a number below the highest is missing. */
  def list(): CommitNumbers.Listing = {
    val (numbers, hints) = found()
    val highest = (numbers ++ hints.keySet).maxOption.getOrElse(0L)
    (1L to highest)
      .find(n => !numbers(n) && !exists(n))
      .foreach(n => throw Timeline.corrupt(path(n), "the number is missing"))
    CommitNumbers.Listing(highest, hints)
  }

  /** Returns the instants of all numbers. Reads a number without a hint, and creates the hint. If
    * the full bootstrap has a number, the result contains the other bootstrap instant, too: that
    * one shares the number, or has a lower one, or does not exist. */
  def instants(listing: CommitNumbers.Listing): Set[String] = {
    val unhinted = (1L to listing.highest).filterNot(listing.hints.contains)
    val found = unhinted.map { n =>
      val instant = read(n).instant
      hint(n, instant)
      instant
    }
    val all = listing.hints.values.toSet ++ found
    if (all(Instant.fullBootstrap)) all + Instant.bootstrap else all
  }

  /** Returns the number of each instant that has one; writes nothing. If both instants of a
    * bootstrap share a number, the first one is not in the result. */
  def numbered(listing: CommitNumbers.Listing): Map[String, Long] =
    (listing.highest to 1L by -1L)
      .map(n => listing.hints.getOrElse(n, read(n).instant) -> n)
      .toMap

  /** Whether a number contains an abort record for an instant. */
  def isAborted(instant: String): Boolean = {
    val listing = list()
    (1L to listing.highest)
      .filter(n => listing.hints.get(n).forall(_ == instant))
      .map(read)
      .exists(r => r.instant == instant && r.kind == CommitRecord.Abort)
  }

  def exists(n: Long): Boolean = storage.status(path(n)).nonEmpty

  /** Reads the record of a number.
    * Errors: HUDILITE_MISSING_FILE, HUDILITE_CORRUPT_TIMELINE. */
  def read(n: Long): CommitRecord = CommitRecord.parse(storage.read(path(n)), path(n))

  /** Takes a number by creating its file.
    * @return false if it is taken already, by any writer */
  def create(n: Long, record: CommitRecord): Boolean =
    storage.createNew(path(n), CommitMetadata.bytes(record.toJson))

  /** Creates the hint of a number that is taken. */
  def hint(n: Long, instant: String): Unit =
    storage.touch(Storage.resolve(folder, s"${CommitNumbers.name(n)}-$instant")): Unit

  /** Returns the path of a number's file relative to the table, for messages. */
  def place(n: Long): String = s"${files.layout.commits}/${CommitNumbers.name(n)}"

  private def path(n: Long): Path = Storage.resolve(folder, CommitNumbers.name(n))
}

private[hudilite] object CommitNumbers {
  private val digits = 20
  private val number = "([0-9]{20})".r
  private val hint = "([0-9]{20})-([0-9]{14}|[0-9]{17})".r

  private def name(n: Long): String = f"$n%020d"

  /** Result of one listing.
    * @param highest highest number, 0 if there is none
    * @param hints   number to instant, for the numbers that have a hint */
  final case class Listing(highest: Long, hints: Map[Long, String])
}
