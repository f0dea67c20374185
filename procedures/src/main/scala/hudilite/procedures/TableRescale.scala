package hudilite.procedures

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.format.BucketCounts
import hudilite.index.RescaleStep
import hudilite.lock.RescaleTurns
import hudilite.service.BucketCountsChange
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.hive.SyncBehind
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.plan.WriteSettings
import hudilite.spark.repair.BucketRescale
import hudilite.spark.write.ConflictRetries

/** Rescale of a table, step by step beside other writers (driver side). Each step starts from the latest
  * snapshot, so a call that was stopped anywhere is continued by the next one.
  * @param open    opens the table as it is then
  * @param turns   turns of the steps and of other writes
  * @param columns partition columns of the table
  * @param counts  numbers of buckets of the table until the rescale ends
  * @param count   number of buckets that it gets */
private[procedures] final class TableRescale(
    session: SparkSession,
    open: () => HudiliteTable,
    turns: RescaleTurns,
    columns: StructType,
    counts: BucketCounts,
    count: Int
) {
  import TableRescale._

  /** Returns the first steps of those that are left, at least one if any is.
    * @param wanted partitions to choose from
    * @param most   bytes that they may read together */
  def plan(
      table: HudiliteTable,
      wanted: InternalRow => Boolean,
      most: Option[Long]
  ): Seq[RescaleStep] = {
    val all = BucketRescale.steps(table, columns, wanted, count)
    most.fold(all) { bytes =>
      val before = all.scanLeft(0L)(_ + _.bytes).drop(1)
      all.take(math.max(1, before.takeWhile(_ <= bytes).size))
    }
  }

  /** Runs steps, and ends the rescale if none is left.
    * @param ends whether the table has one number of buckets afterwards
    * @return the steps with their new files */
  def run(wanted: InternalRow => Boolean, most: Option[Long], ends: Boolean): Seq[Done] =
    if (!ends && plan(open(), wanted, most).isEmpty) Nil else runSteps(wanted, most, ends)

  private def runSteps(
      wanted: InternalRow => Boolean,
      most: Option[Long],
      ends: Boolean
  ): Seq[Done] = {
    val table = begin()
    val done = steps(plan(table, wanted, most))
    val late = if (ends && most.isEmpty) end(maxTries) else Nil
    if (ends && most.nonEmpty && isReady(open())) turns.inTurn(tryEnd(open()))
    SyncBehind(open())
    done ++ late
  }

  /** Gives the table both numbers of buckets.
    * @return the table as it is afterwards */
  private def begin(): HudiliteTable = {
    val table = open()
    table.log.rollback.rollBackOlderThan(
      WriteSettings.of(session.sessionState.conf).rollbackMillis
    ): Unit
    if (table.snapshot.counts.contains(counts)) table
    else {
      turns.awaitPending()
      change(maxTries)
    }
  }

  @tailrec private def change(triesLeft: Int): HudiliteTable = {
    val table = open()
    if (!table.snapshot.counts.exists(isOfThis)) throw overtaken(table)
    changeOf(table).refuseStock()
    if (changeOf(table).run(counts, table.snapshot.number)) open()
    else if (triesLeft == 0) throw overtaken(table)
    else change(triesLeft - 1)
  }

  /** Whether the table has numbers of buckets from which this rescale may begin or go on: no other one
    * has begun or ended since. */
  private def isOfThis(now: BucketCounts): Boolean =
    now.own == counts.own && (!now.areMixed || now.other == counts.other)

  private def steps(all: Seq[RescaleStep]): Seq[Done] =
    all.flatMap(step => turns.inTurn(commit(step, maxTries)).map(step -> _))

  /** Commits a step as it is in the latest snapshot; again, if a commit comes in between.
    * @return the new files; None if the step is no longer left */
  @tailrec private def commit(step: RescaleStep, triesLeft: Int): Option[Seq[FileGroupResult]] = {
    val table = open()
    if (!table.snapshot.counts.contains(counts)) throw overtaken(table)
    changeOf(table).refuseStock()
    val left = BucketRescale.of(table, step.partition, count).find(_.whole == step.whole)
    left.map(attempt(table, _, triesLeft)) match {
      case Some(None) => commit(step, triesLeft - 1)
      case other => other.flatten
    }
  }

  /** Returns the new files; None if another commit has changed the buckets and tries are left. */
  private def attempt(
      table: HudiliteTable,
      step: RescaleStep,
      triesLeft: Int
  ): Option[Seq[FileGroupResult]] =
    try Some(BucketRescale.commit(session, table, counts, step))
    catch {
      case e: HudiliteException if ConflictRetries.isConflict(e) && triesLeft > 0 => None
    }

  /** Ends the rescale. Others may have written buckets of the old number meanwhile: these follow.
    * @return the steps of these */
  private def end(triesLeft: Int): Seq[Done] = {
    val left = plan(open(), _ => true, None)
    if (left.isEmpty && turns.inTurn(tryEnd(open()))) Nil
    else if (triesLeft == 0) throw overtaken(open())
    else steps(left) ++ end(triesLeft - 1)
  }

  /** Gives the table one number of buckets if all of its buckets have it, and declares it.
    * @return false if another commit came since the table was opened, or a bucket has another number */
  private def tryEnd(table: HudiliteTable): Boolean = {
    val after = BucketCounts.of(count)
    val isDone = table.snapshot.counts.contains(after) ||
      isReady(table) && changeOf(table).run(after, table.snapshot.number)
    if (isDone) changeOf(table).declare(count)
    isDone
  }

  /** Whether no step is left in any partition. */
  private def isReady(table: HudiliteTable): Boolean = plan(table, _ => true, None).isEmpty

  private def changeOf(table: HudiliteTable) = new BucketCountsChange(table.timeline, table.log)

  private def overtaken(table: HudiliteTable): HudiliteException = HudiliteException(
    "HUDILITE_CONCURRENT_WRITE",
    "table" -> table.name,
    "bucket" -> "all, because the number of buckets changes",
    "instant" -> table.snapshot.lastInstant.getOrElse("")
  )
}

private[procedures] object TableRescale {

  /** A step with its new files. */
  type Done = (RescaleStep, Seq[FileGroupResult])

  /** Tries beside writers whose commits come in between. */
  private val maxTries = 20
}
