package hudilite.index

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.spark.unsafe.types.UTF8String

import hudilite.view.{FileSlice, OpenedFile}

/** What a look-up has cost and found. */
final class LookupCounts {
  var files, footersRead, withoutRange, afterRange, afterFilter, scanned = 0L
  var comparisons, probed, passed, confirmed = 0L
}

/** Looks sorted keys up in base files of one partition: by the range of a file's keys, then by its
  * filter, then among its keys themselves (task side).
  *
  * No pair of key and file is kept: of a file's keys the candidates are one slice of each run.
  * Source: seed 001, performance §4.3.
  * @param runs    keys; each in one of them
  * @param pruning None where it is to be left to the ranges themselves
  * @param counts  what is added to */
final class KeyLookup(
    runs: IndexedSeq[SortedKeys],
    pruning: Option[RangePruning],
    conf: Configuration,
    counts: LookupCounts
) {
  private type Slices = IndexedSeq[(Int, Int)]
  private lazy val allKeys: KeyTable = table(runs.map(keys => (0, keys.size)), _ => true)

  /** Calls `hit` with run, number of the key in the run, and number of the file. */
  def find(files: IndexedSeq[FileSlice])(hit: (Int, Int, Int) => Unit): Unit = {
    counts.files += files.size
    val footers = files.map(KeyFooters.of(_, conf)(() => counts.footersRead += 1))
    val ranges = footers.map(_.range)
    counts.withoutRange += ranges.count(_.isEmpty)
    val way = pruning.getOrElse(KeyLookup.way(ranges.flatten))
    val slices = runs.map(KeyRanges.slices(_, ranges, way, counts.comparisons += _))
    files.indices.filter(footers(_).rows > 0).foreach { f =>
      look(files(f), footers(f).rows, slices.map(_(f)))((run, key) => hit(run, key, f))
    }
  }

  private def look(file: FileSlice, rows: Long, slices: Slices)(hit: (Int, Int) => Unit): Unit = {
    val candidates = slices.map { case (from, until) => (until - from).toLong }.sum
    if (candidates > 0) {
      counts.afterRange += 1
      val filter =
        if (candidates > rows) None // its rows are fewer than what would be asked
        else KeyFooters.filter(file, conf)(() => counts.footersRead += 1)
      filter match {
        case Some(bits) => ask(bits, file, slices, candidates)(hit)
        case None =>
          counts.scanned += 1
          confirm(file, allKeys, FilterCompat.NOOP)(hit)
      }
    }
  }

  private def ask(filter: BloomFilter, file: FileSlice, slices: Slices, candidates: Long)(
      hit: (Int, Int) => Unit
  ): Unit = {
    val passed = ArrayBuffer.empty[UTF8String]
    val sought = table(
      slices,
      key => {
        val may = filter.mightContain(key)
        if (may) passed += key
        may
      }
    )
    counts.probed += candidates
    counts.passed += passed.size
    if (passed.nonEmpty) {
      counts.afterFilter += 1
      confirm(file, sought, KeyColumn.pages(passed.toSeq))(hit)
    }
  }

  private def confirm(file: FileSlice, sought: KeyTable, pages: FilterCompat.Filter)(
      hit: (Int, Int) => Unit
  ): Unit =
    OpenedFile(file, conf, pages) { reader =>
      KeyColumn.foreach(reader) { key =>
        val found = sought.find(key)
        if (found != KeyTable.absent) {
          counts.confirmed += 1
          hit((found >>> Integer.SIZE).toInt, found.toInt)
        }
      }
    }

  private def table(slices: Slices, isSought: UTF8String => Boolean): KeyTable = {
    val sought = new KeyTable.Builder
    runs.indices.foreach { run =>
      val (from, until) = slices(run)
      (from until until).foreach { i =>
        val key = runs(run)(i)
        if (isSought(key)) sought.add(key, (run.toLong << Integer.SIZE) | i)
      }
    }
    sought.result()
  }
}

object KeyLookup {
  private val fewFiles = 16

  /** By a tree, but not at all where most ranges overlap: as with random keys. */
  private def way(ranges: IndexedSeq[KeyRange]): RangePruning =
    if (ranges.size > fewFiles && overlap(ranges) > 0.5) RangePruning.Off else RangePruning.Tree

  /** Of all pairs of ranges, the part that overlap. */
  private[index] def overlap(ranges: IndexedSeq[KeyRange]): Double = {
    val mins = ranges.map(_.min).sorted
    val maxes = ranges.map(_.max).sorted
    var ended = 0
    val apart = mins.map { min => // ranges that end before one begins
      while (ended < maxes.size && maxes(ended).compareTo(min) < 0) ended += 1
      ended.toLong
    }.sum
    1 - 2.0 * apart / (ranges.size.toDouble * ranges.size)
  }
}
