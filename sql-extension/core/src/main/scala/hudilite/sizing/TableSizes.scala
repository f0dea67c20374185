package hudilite.sizing

import hudilite.timeline.{CommitMetadata, InstantTime}
import hudilite.view.{FileSlice, SliceBase, TableSnapshot}

/** Sizes of the files of a table or a folder, and what commits say about them.
  * @param files    bytes of each file of a partition: of a file group its base file, an adopted one
  *                 with its source file; of one without a base its log files
  * @param logBytes bytes of the log files beside base files, which are not in `files`: how many of
  *                 these rows are new is not known
  * @param rows     number of rows, if it is known
  * @param largest  bytes of the bucket that has most in all partitions; None without buckets
  * @param growth   growth, if the history is long enough
  * @param spread   see [[SpreadOfChanges]], if enough commits show it */
final case class TableSizes(
    files: Map[String, Seq[Long]],
    logBytes: Long = 0L,
    rows: Option[Long] = None,
    largest: Option[Long] = None,
    growth: Option[TableGrowth] = None,
    spread: Option[Double] = None
) {

  /** Sizes of all files, ascending. */
  lazy val sorted: IndexedSeq[Long] = files.values.flatten.toIndexedSeq.sorted

  /** Bytes of these files. */
  lazy val bytes: Long = sorted.sum

  /** Returns the size in the middle, the smaller one of two; None without a file. */
  def median: Option[Long] = sorted.lift((sorted.size - 1) / 2)

  /** Returns the bytes of the largest bucket over those of the mean one. */
  def skew(buckets: Int): Option[Double] =
    largest.filter(_ => bytes > 0).map(_.toDouble * buckets / bytes)

  /** Returns the bytes that each partition has after some days. */
  def after(days: Int): Map[String, Long] = files.map { case (partition, sizes) =>
    partition -> atLeast0(sizes.sum + growth.fold(0.0)(_.of(partition, days)))
  }

  /** Returns the bytes of the table after some days, those of new partitions included. */
  def bytesAfter(days: Int): Option[Long] =
    growth.map(of => atLeast0(bytes + of.perDay.toDouble * days))

  private def atLeast0(bytes: Double): Long = math.max(0L, bytes.round)
}

object TableSizes {

  /** Limits to the commits that are read, the newest first: their number and their files. */
  private val maxCommits = 1000
  private val maxFiles = 50000L

  /** Returns the sizes in a snapshot. Lists each partition once, reads commits of the active
    * timeline, and opens no base file.
    * @param now the time, in milliseconds since 1970
    * Errors: those of [[TableSnapshot.slices]]. */
  def of(snapshot: TableSnapshot, now: Long): TableSizes = {
    val slices = snapshot.allSlices
    val byPartition = slices.groupBy(_.partition)
    val commits = newest(snapshot)
    val timed = commits.flatMap { case (instant, metadata) =>
      InstantTime.moments(instant, snapshot.config.timelineZone).headOption
        .map(TableGrowth.Commit(instant, _, metadata))
    }
    val oldest = byPartition.map { case (partition, own) => partition -> own.map(_.instant).min }
    TableSizes(
      byPartition.map { case (partition, own) => partition -> own.map(bytesOf) },
      slices.filter(_.base != SliceBase.NoBase).map(logsOf).sum,
      rows(slices, commits.map(_._2)),
      if (snapshot.config.hasBuckets) largest(slices) else None,
      TableGrowth.of(timed, oldest, now),
      SpreadOfChanges.of(commits.map(_._2), byPartition.map { case (p, own) => p -> own.size })
    )
  }

  private def bytesOf(slice: FileSlice): Long =
    if (slice.base == SliceBase.NoBase) logsOf(slice) else slice.wholeLength - logsOf(slice)

  private def logsOf(slice: FileSlice): Long = slice.logs.map(_.length).sum

  /** Returns the newest commits with their instants, in order. */
  private def newest(snapshot: TableSnapshot): Seq[(String, CommitMetadata)] = Iterator
    .unfold((snapshot.instants.reverse.toList, 0L)) {
      case (instant :: older, files) if files < maxFiles =>
        val commit = snapshot.metadata(instant)
        Some((commit.map(instant -> _), (older, files + commit.fold(0)(_.stats.size))))
      case _ => None
    }
    .take(maxCommits).flatten.toVector.reverse

  private def rows(slices: Seq[FileSlice], commits: Seq[CommitMetadata]): Option[Long] = {
    val known = commits.flatMap(_.stats).map(stat => stat.path -> stat.numWrites).toMap
    val counts = slices.map { slice =>
      if (slice.isOnlyBase) known.get(slice.place) else None
    }
    Option.when(counts.forall(_.nonEmpty))(counts.flatten.sum)
  }

  private def largest(slices: Seq[FileSlice]): Option[Long] =
    slices.groupMapReduce(_.bucket)(bytesOf)(_ + _).values.maxOption
}
