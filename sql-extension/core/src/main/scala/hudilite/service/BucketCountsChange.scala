package hudilite.service

import java.util.UUID

import hudilite.commit.{CommitLog, CountsDecision}
import hudilite.format.{BucketCounts, ChangedTable}
import hudilite.timeline.{BucketRules, TimelineFiles}

/** Change of the numbers of buckets of a table. Rows and files stay. Runs on the driver.
  *
  * A commit number decides the change, so that no write is committed which was planned for other
  * numbers: see [[CountsDecision]].
  * Source: decision 0027. */
final class BucketCountsChange(files: TimelineFiles, log: CommitLog) {

  /** Gives the table other numbers of buckets, if its latest commit is one that the caller has looked
    * at.
    * @param seen highest commit number at which the table was ready for them
    * @return false, and nothing is changed, if there is a later commit
    * Errors: HUDILITE_CONCURRENT_WRITE if the type or the version of the table has changed;
    * HUDILITE_UNSAFE_STORAGE; those of [[hudilite.commit.DetachMetadata.before]] and of the storage. */
  def run(counts: BucketCounts, seen: Long): Boolean = log.alone {
    log.settle().highest == seen && {
      log.keepBefore(): Unit // a kept metadata table lacks nothing: no file comes or goes
      CountsDecision.take(files, seen + 1, counts, UUID.randomUUID.toString)
    }
  }

  /** Puts the number of buckets into the properties, for programs that read only these, and removes the
    * rules for stock Hudi. The table must have one number of buckets. Calling it again has no effect. */
  def declare(count: Int): Unit = log.alone {
    val config = files.config()
    val changed = ChangedTable.rescaled(config, count)
    if (changed != config) files.replaceConfig(changed)
    val rules = new BucketRules(files)
    if (rules.areOurs) rules.remove()
  }

  /** Makes writes of stock Hudi fail until [[declare]]: it knows one number of buckets. */
  def refuseStock(): Unit = new BucketRules(files).refuse()
}
