package hudilite.timeline

import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** The numbered commits, `.hoodie/.hudilite/commits/<20 digits>`. Beside number n may lie an empty
  * file `<n>-<instant>`: a hint that spares reading n to know its instant, rebuilt when it is
  * missing.
  * Source: design D10. */
private[hudilite] final class CommitNumbers(storage: Storage, basePath: Path) {
  private val folder =
    Storage.resolve(Timeline.folder(basePath), s"${CommitNumbers.privateFolder}/commits")

  /** The numbers that are there, and the instant of each that has a hint. */
  def found(): (Set[Long], Map[Long, String]) = {
    val names = storage.names(folder)
    val (short, long) = names.partition(_.length == CommitNumbers.digits)
    val numbers = short.collect { case CommitNumbers.number(n) => n.toLong }.toSet
    (numbers, long.collect { case CommitNumbers.hint(n, instant) => n.toLong -> instant }.toMap)
  }

  /** What one listing shows. A number that was made meanwhile may be left out of it, and one after it
    * not: such a one is looked for by its name.
    * Errors: HUDILITE_CORRUPT_TIMELINE when a number is missing below the highest. */
  def list(): CommitNumbers.Listing = {
    val (numbers, hints) = found()
    val highest = (numbers ++ hints.keySet).maxOption.getOrElse(0L)
    (1L to highest)
      .find(n => !numbers(n) && !exists(n))
      .foreach(n => throw Timeline.corrupt(path(n), "the number is missing"))
    CommitNumbers.Listing(highest, hints)
  }

  /** Instant of every number; a missing hint is made up for from the number itself. The rewriting
    * part of a bootstrap has a number for both its parts, or comes after the other's. */
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

  /** Number of each instant that has one; writes nothing. Of the two parts of a bootstrap that have
    * one number the first is not among them. */
  def numbered(listing: CommitNumbers.Listing): Map[String, Long] =
    (listing.highest to 1L by -1L)
      .map(n => listing.hints.getOrElse(n, read(n).instant) -> n)
      .toMap

  /** Whether a number says that an instant never completes. */
  def isAborted(instant: String): Boolean = {
    val listing = list()
    (1L to listing.highest)
      .filter(n => listing.hints.get(n).forall(_ == instant))
      .map(read)
      .exists(r => r.instant == instant && r.kind == CommitRecord.Abort)
  }

  def exists(n: Long): Boolean = storage.status(path(n)).nonEmpty

  /** Errors: HUDILITE_MISSING_FILE, HUDILITE_CORRUPT_TIMELINE. */
  def read(n: Long): CommitRecord = CommitRecord.parse(storage.read(path(n)), path(n))

  /** Takes a number.
    * @return false when it is taken already, by whomever */
  def create(n: Long, record: CommitRecord): Boolean =
    storage.createNew(path(n), CommitMetadata.bytes(record.toJson))

  /** Notes the instant of a taken number. */
  def hint(n: Long, instant: String): Unit =
    storage.touch(Storage.resolve(folder, s"${CommitNumbers.name(n)}-$instant")): Unit

  private def path(n: Long): Path = Storage.resolve(folder, CommitNumbers.name(n))
}

private[hudilite] object CommitNumbers {

  /** hudilite's own folder in `.hoodie`; stock Hudi passes it over. */
  val privateFolder = ".hudilite"

  private val digits = 20
  private val number = "([0-9]{20})".r
  private val hint = "([0-9]{20})-([0-9]{14}|[0-9]{17})".r

  private def name(n: Long): String = f"$n%020d"

  /** @param highest highest number, 0 when there is none
    * @param hints   number to instant, where a hint is there */
  final case class Listing(highest: Long, hints: Map[Long, String])
}
