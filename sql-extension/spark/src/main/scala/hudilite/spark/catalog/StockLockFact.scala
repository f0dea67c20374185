package hudilite.spark.catalog

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession

import hudilite.commit.SharedMetadata
import hudilite.format.TableConfig
import hudilite.lock.{LockWait, StockWriters}
import hudilite.spark.plan.Setting
import hudilite.timeline.TimelineFiles

/** Table fact that stock Hudi writes the table at the same time, under its lock in the storage. */
private[catalog] object StockLockFact {

  /** Name of the property. */
  val name: String = TableConfig.Key.stockLock

  val names: Seq[String] = Seq(name)

  /** Returns what to write instead of an invalid value; None for a valid one. */
  def whyNot(value: String): Option[String] =
    Option.when(value.trim != TableConfig.Key.stockLockStorage)(
      s"Its only value is '${TableConfig.Key.stockLockStorage}', stock Hudi's StorageBasedLockProvider. " +
        "For a table that stock Hudi does not write at the same time, run ALTER TABLE ... UNSET " +
        s"TBLPROPERTIES ('$name')."
    )

  /** Fails if a table that has the fact cannot have it.
    * @param files files of the table's timeline
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED. */
  def check(files: TimelineFiles, config: TableConfig): Unit =
    if (config.hasStockLock) {
      StockWriters.whyNot(files).orElse(SharedMetadata.whyNot(config))
        .foreach(fix => throw refused(fix))
    }

  /** Runs a change of a table's properties under the lock, if the table has it. A table that cannot have
    * it, such as a copy on a local disk, may still lose the fact. */
  def guarded(table: HudiliteTable)(change: => Unit): Unit =
    if (table.config.hasStockLock && StockWriters.whyNot(table.timeline).isEmpty)
      table.log.alone(change)
    else change

  private def refused(fix: String): AnalysisException = PropertyRules.unsupported(name, fix)

  /** Returns how long a session waits for the lock.
    * Errors: HUDILITE_SETTING_INVALID. */
  def waiting(spark: SparkSession): LockWait =
    LockWait(Setting.number(spark.sessionState.conf, LockWait.setting, least = 1)(_.toLong))
}
