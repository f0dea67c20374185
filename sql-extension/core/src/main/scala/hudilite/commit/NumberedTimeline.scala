package hudilite.commit

import scala.annotation.tailrec

import hudilite.timeline.{MetadataFolder, Timeline, TimelineFiles}

/** Timeline and numbers of a table, read so that they fit each other, also while others commit.
  * @param timeline contains all commits up to the highest number
  * @param found    the numbers, hints and checkpoints as listed
  * @param later    records of later numbers, whose commits the timeline may contain as well
  * @param covered  checkpoint that fits both
  * Source: design D10. */
private[commit] final case class NumberedTimeline(
    timeline: Timeline,
    found: CommitNumbers.Found,
    later: Vector[CommitRecord],
    covered: Option[Committed.Covered]
)

private[commit] object NumberedTimeline {

  /** Listings after which a load takes the last one, whatever an archival does. */
  private val maxListings = 5

  /** Reads timeline and numbers; never writes. Reads them again if an archival has deleted files
    * while they were listed: such a listing may contain a commit and lack a later one.
    * @param table  uuid of the table; None to read without a checkpoint
    * @param folder listing of the metadata folder, made before
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def load(
      files: TimelineFiles,
      table: Option[String],
      folder: MetadataFolder
  ): NumberedTimeline = {
    @tailrec def settled(read: NumberedTimeline, left: Int): NumberedTimeline =
      if (left == 0 || !isTorn(files, read)) read
      else settled(once(files, table, files.metadata()), left - 1)
    settled(once(files, table, folder), maxListings - 1)
  }

  /** Whether an archival has deleted files during the listing. It deletes the files of pending states
    * first, and completed files in order. So if a commit with a number is missing, the first commit
    * of the listing tells, and if a commit with a number seems to be pending, its own files do. */
  private def isTorn(files: TimelineFiles, read: NumberedTimeline): Boolean = {
    val timeline = read.timeline
    timeline.firstActive.exists { first =>
      val (earlier, later) = read.found.hints.valuesIterator.partition(_ < first)
      later.exists(!timeline.isKnown(_)) && !timeline.completedAt(first).exists(files.exists) ||
      earlier.filter(timeline.pending).exists { time =>
        !timeline.instants.filter(_.time == time).exists(files.exists)
      }
    }
  }

  private def once(
      files: TimelineFiles,
      table: Option[String],
      folder: MetadataFolder
  ): NumberedTimeline = {
    val reading = new Reading(files, folder)
    val recent = table.filter(_ => folder.mayHave(files.layout.recentCommits))
    recent.flatMap(reading.ofRecent).getOrElse(reading.ofAll(table))
  }

  private final class Reading(files: TimelineFiles, folder: MetadataFolder) {
    private val numbers = new CommitNumbers(files)
    private val early = Timeline.load(files, folder)

    /** Lists all numbers. */
    def ofAll(table: Option[String]): NumberedTimeline = {
      val found =
        if (folder.mayHave(files.layout.commits)) numbers.found() else CommitNumbers.Found.none
      val checkpoint = table.flatMap(_ => numbers.checkpoint(found, table))
      val listed = numbers.checked(found, checkpoint.fold(0L)(_.number))
      val (timeline, later) = seen(listed)
      val covered = checkpoint
        .map(c => Committed.Covered(c, found.instantsUpTo(c.number)))
        .filter(_.isUnchanged(timeline))
      covered.foreach(numbers.keep)
      NumberedTimeline(timeline, found, later, covered)
    }

    /** Lists the latest numbers alone.
      *
      * If no write is pending on the early timeline, and the checkpoint and the hints name all its
      * commits, no earlier number is missing: a number that exists belongs to a pending or to a
      * completed write. Otherwise later numbers are looked up by their names.
      * @return None if the checkpoint or the hints do not fit the timeline */
    def ofRecent(table: String): Option[NumberedTimeline] = for {
      (checkpoint, listed) <- numbers.recent(table)
      found <- if (isWhole(checkpoint, listed)) Some(listed) else numbers.followed(listed)
      (timeline, later) = seen(CommitNumbers.Listing(found.highest, found.hints))
      covered = coveredBy(checkpoint, timeline, found, later)
      if covered.isUnchanged(timeline)
    } yield {
      numbers.keep(covered)
      NumberedTimeline(timeline, found.copy(covered = covered.instants), later, Some(covered))
    }

    private def isWhole(checkpoint: CommitCheckpoint, listed: CommitNumbers.Found): Boolean =
      early.pending.isEmpty &&
        coveredBy(checkpoint, early, listed, Vector.empty).isUnchanged(early)

    /** Returns a checkpoint with the commits on a timeline that have no hint of a later number. */
    private def coveredBy(
        checkpoint: CommitCheckpoint,
        timeline: Timeline,
        found: CommitNumbers.Found,
        later: Vector[CommitRecord]
    ): Committed.Covered = {
      val others = found.instantsAfter(checkpoint.number) ++ later.flatMap(_.instants)
      Committed.Covered(checkpoint, timeline.completedTimes -- others)
    }

    /** Returns a timeline that contains all commits up to the highest number, and the records of
      * later numbers, whose commits it may contain as well.
      *
      * If a timeline that was listed before the numbers contains the commit of the highest one, it is
      * exact: the completed files of all numbers below existed before that number was created, and no
      * later number existed when the numbers were listed. Otherwise the timeline is listed again, and
      * later numbers are looked for by name. A listing shows no single moment: if one of these files
      * was created during the listing, its write is still pending there. */
    private def seen(listed: CommitNumbers.Listing): (Timeline, Vector[CommitRecord]) =
      if (listed.highest == 0 || isExact(listed)) (early, Vector.empty)
      else {
        val timeline = Timeline.load(files)
        val later = Iterator.from(1).map(listed.highest + _).takeWhile(numbers.exists)
        (timeline, later.map(numbers.read).toVector)
      }

    private def isExact(listed: CommitNumbers.Listing): Boolean =
      listed.hints.get(listed.highest).exists(early.completedTimes) &&
        !listed.hints.valuesIterator.exists(early.pending)
  }
}
