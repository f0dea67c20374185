package hudilite.spark.catalog

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession

import hudilite.commit.DetachMetadata
import hudilite.format.TableConfig
import hudilite.lock.{LockWait, StockWriters}
import hudilite.spark.plan.{MetadataUpkeep, Setting}
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
        s"UNSET it for a table that stock Hudi does not write at the same time."
    )

  /** Returns the fact and what to do if the facts of a table also say that it keeps its metadata table,
    * which its writes must not change while stock Hudi writes. */
  def mismatch(facts: Map[String, String]): Option[(String, String)] =
    Option.when(facts.contains(name) && TableConfig(facts).asksForFiles)(
      name -> s"It cannot be combined with ${MetadataUpkeep.name} = ${TableConfig.Key.keepFiles}: UNSET one of them."
    )

  /** Fails if a table that has the fact cannot have it.
    * @param files files of the table's timeline
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED. */
  def check(files: TimelineFiles, config: TableConfig): Unit =
    if (config.hasStockLock) {
      StockWriters.whyNot(files).foreach(fix => throw refused(fix))
      if (config.hasMetadataTable) throw refused(DetachMetadata.mustBeOff)
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
