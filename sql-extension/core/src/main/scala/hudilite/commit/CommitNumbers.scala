package hudilite.commit

import java.nio.charset.StandardCharsets.UTF_8

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.io.{SoftCache, Storage}
import hudilite.timeline.{Instant, Timeline, TimelineFiles}

/** Numbered commits of a table: files with names of 20 digits in a folder of their own. Next to
  * number n there may be an empty file `<n>-<instant>`. It is a hint: it gives the instant without
  * reading n. A missing hint is created again.
  * Source: design D10. */
private[hudilite] final class CommitNumbers(files: TimelineFiles) {
  private val storage = files.storage
  private val folder = files.at(files.layout.commits)
  private val names = new RecentNames(files)

  /** Lists the existing numbers, the instant of each that has a hint, and the checkpoints. */
  def found(): CommitNumbers.Found = CommitNumbers.Found.of(storage.names(folder))

  /** Lists the latest numbers alone, which in a long history takes fewer requests than [[found]]. A
    * number that is created meanwhile, or whose hint is missing, may be left out at the end.
    * @param table uuid of the table
    * @return a checkpoint that fits, and the hints of all numbers from that on; None if the names
    *         are missing or do not fit the numbers */
  def recent(table: String): Option[(CommitCheckpoint, CommitNumbers.Found)] = {
    val found = names.found()
    for {
      start <- checkpoint(found, Some(table))
      if isThere(found)
      gaps = (start.number to found.highest).filterNot(found.hints.contains)
      if gaps.sizeIs <= CommitCheckpoint.every && gaps.forall(exists)
    } yield (start, found.copy(hints = found.hints ++ gaps.map(n => n -> read(n).instant)))
  }

  /** Adds the hints of the numbers after the highest one, which are looked up by their names.
    * @return None if there are so many that a listing of all numbers costs less */
  def followed(found: CommitNumbers.Found): Option[CommitNumbers.Found] =
    last(found.highest).map { end =>
      val later = (found.highest + 1 to end).map(n => n -> read(n).instant)
      found.copy(hints = found.hints ++ later)
    }

  /** Keeps in this process which instants a checkpoint covers, for [[latest]]. */
  def keep(covered: Committed.Covered): Unit = names.keep(covered)

  /** Lists the numbers from a checkpoint on that this process has kept, or all numbers. */
  def latest(): CommitNumbers.Listing = sinceKept.getOrElse(list())

  private def sinceKept: Option[CommitNumbers.Listing] = for {
    kept <- names.kept
    found = names.found()
    if found.hints.get(kept.checkpoint.number).contains(kept.checkpoint.instant)
    if isThere(found)
    if (kept.checkpoint.number to found.highest).forall(found.hints.contains)
    highest <- last(found.highest)
  } yield CommitNumbers.Listing(highest, found.hints, Some(kept))

  /** Whether the highest number exists whose hint was listed. */
  private def isThere(found: CommitNumbers.Found): Boolean = {
    val highest = found.hints.get(found.highest).map(found.highest -> _)
    highest.exists(h => names.isSeen(h) || exists(h._1) && { names.see(h); true })
  }

  /** Returns the last of the numbers that follow an existing one without a gap; None if they are
    * too many to look them up one by one. */
  private def last(n: Long): Option[Long] = {
    @tailrec def next(n: Long, left: Int): Option[Long] =
      if (!exists(n + 1)) Some(n) else if (left == 0) None else next(n + 1, left - 1)
    next(n, 2 * CommitCheckpoint.every)
  }

  /** Lists the numbers and checks that none is missing.
    * Errors: HUDILITE_CORRUPT_TIMELINE if a number below the highest is missing. */
  def list(): CommitNumbers.Listing = checked(found(), 0)

  /** Checks that no number of a listing is missing. A listing may omit a number that is created
    * meanwhile and still contain a later one, so each missing number is looked up by its name.
    * @param known number up to which a checkpoint shows that all exist
    * Errors: HUDILITE_CORRUPT_TIMELINE if a number below the highest is missing. */
  def checked(found: CommitNumbers.Found, known: Long): CommitNumbers.Listing = {
    (known + 1 to found.highest)
      .find(n => !found.numbers(n) && !exists(n))
      .foreach(n => throw Timeline.corrupt(path(n), "the number is missing"))
    CommitNumbers.Listing(found.highest, found.hints)
  }

  /** Returns the newest checkpoint that fits the numbers. A process reads it once. A checkpoint that
    * is damaged, that is gone meanwhile, or that belongs to another table or another history is
    * ignored.
    * @param table uuid of the table; None if only the aborted instants are used, which the numbers
    *              determine */
  def checkpoint(found: CommitNumbers.Found, table: Option[String]): Option[CommitCheckpoint] =
    found.checkpoints.toVector.filter(_ <= found.highest).sorted.reverseIterator
      .flatMap { n =>
        def fits(c: CommitCheckpoint): Boolean =
          c.number == n && table.forall(_ == c.table) && isOfHistory(c, found)
        CommitNumbers.checkpoints.get(folder).filter(fits).orElse {
          val read = readable(n).filter(fits)
          read.foreach(CommitNumbers.checkpoints.put(folder, _))
          read
        }
      }
      .nextOption()

  private def isOfHistory(checkpoint: CommitCheckpoint, found: CommitNumbers.Found): Boolean =
    found.hints.get(checkpoint.number).contains(checkpoint.instant)

  private def readable(n: Long): Option[CommitCheckpoint] = {
    val file = Storage.resolve(folder, CommitNumbers.checkpointName(n))
    try Some(CommitCheckpoint.parse(storage.read(file), file))
    catch { case e: HudiliteException if CommitNumbers.passedOver(e.condition) => None }
  }

  /** Stores a checkpoint, instead of an earlier one of the same number, and deletes older ones, except
    * for the one before it: a load may have listed that one. A checkpoint that is larger than [[CommitCheckpoint.maxBytes]] is not stored.
    * @param found listing from which the checkpoint was made */
  def store(checkpoint: CommitCheckpoint, found: CommitNumbers.Found): Unit = {
    val bytes = checkpoint.toJson.getBytes(UTF_8)
    if (bytes.length <= CommitCheckpoint.maxBytes) {
      val older = found.checkpoints.filter(_ < checkpoint.number).toVector.sorted.dropRight(1)
      def file(n: Long) = Storage.resolve(folder, CommitNumbers.checkpointName(n))
      if (!storage.createNew(file(checkpoint.number), bytes))
        storage.replace(file(checkpoint.number), bytes) // of the commits before an archival
      CommitNumbers.checkpoints.put(folder, checkpoint)
      names.checkpoint(checkpoint.number, found)
      storage.deleteAll(older)(file): Unit
    }
  }

  /** Returns the instants of all numbers, [[CommitNumbers.withBootstrap]], except those that a
    * checkpoint covers and that are gone from the timeline. Reads a number without a hint, and
    * creates the hint. */
  def instants(listing: CommitNumbers.Listing): Set[String] = {
    val unhinted = listing.numbers.filterNot(listing.hints.contains)
    val found = unhinted.map { n =>
      val instant = read(n).instant
      hint(n, instant)
      instant
    }
    CommitNumbers.withBootstrap(listing.covered ++ listing.hints.values ++ found)
  }

  /** Returns the number of each instant that has one; writes nothing. The listing is that of all
    * numbers. If both instants of a bootstrap share a number, the first one is not in the result. */
  def numbered(listing: CommitNumbers.Listing): Map[String, Long] =
    (listing.highest to 1L by -1L)
      .map(n => listing.hints.getOrElse(n, read(n).instant) -> n)
      .toMap

  /** Whether a number contains an abort record for an instant. */
  def isAborted(instant: String): Boolean = {
    val listing = latest()
    listing.start.exists(_.checkpoint.aborted(instant)) ||
    aborted(listing.numbers, listing.hints)(_ == instant)(instant)
  }

  /** Returns the instants that the abort records of some numbers name.
    * @param mayBe whether a number is read whose hint names this instant; a number without a hint
    *              is read
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def aborted(numbers: Seq[Long], hints: Map[Long, String])(mayBe: String => Boolean): Set[String] =
    numbers
      .filter(hints.get(_).forall(mayBe))
      .map(read)
      .collect { case r if r.kind == CommitRecord.Abort => r.instant }
      .toSet

  def exists(n: Long): Boolean = storage.exists(path(n))

  /** Reads the record of a number.
    * Errors: HUDILITE_MISSING_FILE, HUDILITE_CORRUPT_TIMELINE. */
  def read(n: Long): CommitRecord = CommitRecord.parse(storage.read(path(n)), path(n))

  /** Takes a number by creating its file.
    * @return false if it is taken already, by any writer */
  def create(n: Long, record: CommitRecord): Boolean = {
    val isTaken = storage.createNew(path(n), record.toJson.getBytes(UTF_8))
    if (isTaken) names.see(n -> record.instant)
    isTaken
  }

  /** Creates the hint of a number that is taken. */
  def hint(n: Long, instant: String): Unit = {
    storage.touch(Storage.resolve(folder, CommitNumbers.hintName(n, instant)))
    names.hint(n, instant)
  }

  /** Returns the path of a number's file relative to the table, for messages. */
  def place(n: Long): String = s"${files.layout.commits}/${CommitNumbers.name(n)}"

  private def path(n: Long): Path = Storage.resolve(folder, CommitNumbers.name(n))
}

private[hudilite] object CommitNumbers {
  private val digits = 20
  private val number = "([0-9]{20})".r
  private val hint = "([0-9]{20})-([0-9]{14}|[0-9]{17})".r
  private val checkpoint = "([0-9]{20})\\.checkpoint".r
  private val passedOver =
    Set("HUDILITE_CORRUPT_TIMELINE", "HUDILITE_MISSING_FILE", "HUDILITE_LIMIT_EXCEEDED")

  /** Adds the first of the two instants of a bootstrap to instants that contain the second: that
    * one shares the number, or has a lower one, or does not exist. */
  def withBootstrap(instants: Set[String]): Set[String] =
    if (instants(Instant.fullBootstrap)) instants + Instant.bootstrap else instants

  private def name(n: Long): String = f"$n%020d"

  private[commit] def hintName(n: Long, instant: String): String = s"${name(n)}-$instant"

  /** Last checkpoint that was read of each table, by the folder of its numbers. */
  private val checkpoints = new SoftCache[Path, CommitCheckpoint]

  private[commit] def checkpointName(n: Long): String = s"${name(n)}.checkpoint"

  /** Content of the folder, or of that of the latest names, where a number has no file.
    * @param numbers     numbers that have a file
    * @param hints       number to instant, for the numbers that have a hint
    * @param checkpoints numbers that have a checkpoint
    * @param covered     instants of the numbers without a hint that a checkpoint covers */
  final case class Found(
      numbers: Set[Long],
      hints: Map[Long, String],
      checkpoints: Set[Long],
      covered: Set[String] = Set.empty
  ) {

    /** Returns the highest number, 0 if there is none. */
    def highest: Long = (numbers.iterator ++ hints.keysIterator).maxOption.getOrElse(0L)

    /** Returns the instants of the numbers up to one, as far as they have hints or are covered. */
    def instantsUpTo(number: Long): Set[String] =
      withBootstrap(covered ++ hints.collect { case (n, time) if n <= number => time })

    /** Returns the instants of the numbers after one that have hints. */
    def instantsAfter(number: Long): Set[String] =
      withBootstrap(hints.collect { case (n, time) if n > number => time }.toSet)
  }

  object Found {

    /** Content of a folder that does not exist. */
    val none: Found = Found(Set.empty, Map.empty, Set.empty)

    private[commit] def of(names: Seq[String]): Found = {
      val (short, long) = names.partition(_.length == digits)
      Found(
        short.collect { case number(n) => n }.flatMap(_.toLongOption).toSet,
        long.collect { case hint(n, time) => n.toLongOption.map(_ -> time) }.flatten.toMap,
        long.collect { case checkpoint(n) => n }.flatMap(_.toLongOption).toSet
      )
    }
  }

  /** Result of one listing.
    * @param highest highest number, 0 if there is none
    * @param hints   number to instant, for the numbers that have a hint
    * @param start   checkpoint from which on the numbers were listed, if not all were */
  final case class Listing(
      highest: Long,
      hints: Map[Long, String],
      start: Option[Committed.Covered] = None
  ) {

    /** Returns the numbers that the checkpoint does not cover. */
    def numbers: Seq[Long] = start.fold(0L)(_.checkpoint.number) + 1 to highest

    /** Returns the instants on the timeline that it covers. */
    def covered: Set[String] = start.fold(Set.empty[String])(_.instants)
  }
}
