package hudilite.index

import scala.collection.mutable.ArrayBuffer
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.spark.unsafe.types.UTF8String

import hudilite.view.FileSlice

/** Counters of the cost and the results of a lookup. */
final class LookupCounts {
  var files, opened, footersRead, filtersRead, withoutRange, unpruned = 0L
  var afterRange, afterFilter, outnumbered, few, unfiltered, altered = 0L
  var comparisons, probed, passed, falsePositives, confirmed = 0L

  /** Names of the first files without a known key range. */
  val rangeless: ArrayBuffer[String] = ArrayBuffer.empty
}

object LookupCounts {

  /** Maximum number of files in [[LookupCounts.rangeless]]. */
  val named = 5
}

/** Lookup of sorted keys in the base files of one partition. Runs in a task. It tests the range of
  * a file's keys, then its filter, then it reads the keys themselves.
  *
  * Files are processed one by one, and each is opened at most once, except that List and Tree
  * pruning read all ranges first. No pair of key and file is stored: the candidate keys of a file
  * are one slice of each run.
  * Source: seed 001, performance §4.3.
  * @param runs   sorted keys; each key is in one run only
  * @param counts counters to increment */
final class KeyLookup(
    runs: IndexedSeq[SortedKeys],
    pruning: RangePruning,
    conf: Configuration,
    counts: LookupCounts
) {
  private type Slices = IndexedSeq[(Int, Int)]
  private val everyKey: Slices = runs.map(keys => (0, keys.size))
  private lazy val allKeys: KeyTable = table(everyKey)

  /** Calls `hit` for each key found, with the run, the number of the key in the run, and the number
    * of the file. */
  def find(files: IndexedSeq[FileSlice])(hit: (Int, Int, Int) => Unit): Unit = {
    counts.files += files.size
    val slicesOf = pruned(files)
    files.indices.foreach { f =>
      Using.resource(new KeyFile(files(f), conf, counts)) { file =>
        val footer = file.footer
        if (footer.range.isEmpty && footer.rows > 0) noteRangeless(files(f))
        if (footer.rows > 0)
          look(file, footer.rows, slicesOf(f, footer.range))((run, key) => hit(run, key, f))
      }
    }
  }

  private def noteRangeless(file: FileSlice): Unit = {
    counts.withoutRange += 1
    if (counts.rangeless.size < LookupCounts.named) counts.rangeless += file.fileName
  }

  /** Returns a function from the number and the range of a file to the slice of each run that the
    * file may contain. */
  private def pruned(files: IndexedSeq[FileSlice]): (Int, Option[KeyRange]) => Slices =
    pruning match {
      case RangePruning.Off => (_, _) => everyKey
      case RangePruning.List => ofAll(files, KeyRanges.list)
      case RangePruning.Tree => ofAll(files, KeyRanges.tree)
      case RangePruning.Sweep => (_, range) => sliced(range)
      case RangePruning.Auto => new UntilUseless
    }

  private def ofAll(files: IndexedSeq[FileSlice], search: IndexedSeq[KeyRange] => KeyRanges) = {
    val ranges = files.map(f => Using.resource(new KeyFile(f, conf, counts))(_.footer.range))
    val found = runs.map(KeyRanges.slices(_, ranges, search, counts.comparisons += _))
    (f: Int, _: Option[KeyRange]) => found.map(_(f))
  }

  private def sliced(range: Option[KeyRange]): Slices =
    range.fold(everyKey)(r => runs.map(KeyRanges.slice(_, r, counts.comparisons += _)))

  private final class UntilUseless extends ((Int, Option[KeyRange]) => Slices) {
    private val all = size(everyKey).toDouble
    private var tried = 0
    private var left = 0.0

    override def apply(file: Int, range: Option[KeyRange]): Slices =
      if (tried >= KeyLookup.tries && left > tried * KeyLookup.mostLeft) {
        counts.unpruned += 1
        everyKey
      } else {
        val slices = sliced(range)
        tried += 1
        left += size(slices) / all
        slices
      }
  }

  private def size(slices: Slices): Long =
    slices.map { case (from, until) => (until - from).toLong }.sum

  private def look(file: KeyFile, rows: Long, slices: Slices)(hit: (Int, Int) => Unit): Unit = {
    val candidates = size(slices)
    if (candidates > 0) {
      counts.afterRange += 1
      if (candidates > rows) {
        counts.outnumbered += 1
        confirm(file, allKeys, FilterCompat.NOOP)(hit)
      } else if (candidates <= rows / KeyLookup.rowsOfFilter && !file.hasFilterAtHand) {
        counts.few += 1
        confirm(file, table(slices), KeyColumn.pages(keysOf(slices)))(hit)
      } else
        file.filter match {
          case Some(bits) => ask(bits, file, slices, candidates)(hit)
          case None =>
            counts.unfiltered += 1
            confirm(file, table(slices), FilterCompat.NOOP)(hit)
        }
    }
  }

  private def ask(filter: BloomFilter, file: KeyFile, slices: Slices, candidates: Long)(
      hit: (Int, Int) => Unit
  ): Unit = {
    val passed = ArrayBuffer.empty[UTF8String]
    val sought = new KeyTable.Builder
    runs.indices.foreach { run =>
      val (keys, hashes) = (runs(run), runs(run).firstHashes)
      val (from, until) = slices(run)
      var i = from
      while (i < until) {
        if (filter.mightHold(hashes, i * BloomHash.firsts)) {
          val key = keys(i)
          if (filter.mightContain(key)) {
            passed += key
            sought.add(key, place(run, i))
          }
        }
        i += 1
      }
    }
    counts.probed += candidates
    counts.passed += passed.size
    if (passed.nonEmpty) {
      counts.afterFilter += 1
      val before = counts.confirmed
      confirm(file, sought.result(), KeyColumn.pages(passed.toSeq))(hit)
      counts.falsePositives += passed.size - (counts.confirmed - before)
    }
  }

  private def confirm(file: KeyFile, sought: KeyTable, pages: FilterCompat.Filter)(
      hit: (Int, Int) => Unit
  ): Unit =
    file.keys(pages, sought) { key =>
      val found = sought.find(key)
      if (found != KeyTable.absent) {
        counts.confirmed += 1
        hit((found >>> Integer.SIZE).toInt, found.toInt)
      }
    }

  private def place(run: Int, key: Int): Long = (run.toLong << Integer.SIZE) | key

  private def table(slices: Slices): KeyTable = {
    val sought = new KeyTable.Builder
    each(slices)((run, i) => sought.add(runs(run)(i), place(run, i)))
    sought.result()
  }

  private def keysOf(slices: Slices): Seq[UTF8String] = {
    val keys = ArrayBuffer.empty[UTF8String]
    each(slices)((run, i) => keys += runs(run)(i))
    keys.toSeq
  }

  private def each(slices: Slices)(visit: (Int, Int) => Unit): Unit =
    runs.indices.foreach { run =>
      val (from, until) = slices(run)
      (from until until).foreach(visit(run, _))
    }
}

private[index] object KeyLookup {

  /** Limits of range pruning: it stops if, after this number of files, more than this fraction of
    * the keys is left on average. */
  private val tries = 16
  private val mostLeft = 0.5

  /** Number of rows whose filter, if not in the cache, takes as much reading as one page of keys.
    * The filter of a file has the size of its whole key column. */
  private val rowsOfFilter = 5000L
}
