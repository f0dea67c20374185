package hudilite.lock

import hudilite.format.{TableConfig, WriteChecks}
import hudilite.timeline.{Instant, Timeline, TimelineFiles}

/** Behavior of the writes to a table beside stock Hudi's writers: if these may write it at the same time,
  * they take part in their lock and have heartbeats, else nothing. */
private[hudilite] sealed trait StockWriters {

  /** Whether stock Hudi may write at the same time. */
  def arePresent: Boolean

  /** Runs a body under the lock.
    * Errors: those of [[StockLock.locked]]. */
  def locked[A](body: => A): A

  /** Fails if the lock is lost.
    * Errors: those of [[StockLock.check]]. */
  def check(instant: String): Unit

  /** Starts the heartbeat of a write. */
  def beat(instant: String): Heartbeat

  /** Whether the writer of a pending instant is known to be alive. */
  def isAlive(instant: String): Boolean

  /** Deletes what is left of the heartbeat of a write that was rolled back. */
  def forget(instant: String): Unit

  /** How long a write waits for others. */
  def waiting: LockWait
}

private[hudilite] object StockWriters {

  /** Writers of a table that stock Hudi does not write at the same time. */
  case object Absent extends StockWriters {
    val arePresent: Boolean = false
    def locked[A](body: => A): A = body
    def check(instant: String): Unit = ()
    def beat(instant: String): Heartbeat = Heartbeat.none
    def isAlive(instant: String): Boolean = false
    def forget(instant: String): Unit = ()
    val waiting: LockWait = LockWait(0L)
  }

  /** Writers of a table that stock Hudi writes at the same time. */
  final class Present(lock: StockLock, beats: Heartbeats, val waiting: LockWait)
      extends StockWriters {
    val arePresent: Boolean = true
    def locked[A](body: => A): A = lock.locked(body)
    def check(instant: String): Unit = lock.check(instant)
    def beat(instant: String): Heartbeat = beats.start(instant)
    def isAlive(instant: String): Boolean = beats.isAlive(instant)
    def forget(instant: String): Unit = beats.delete(instant)
  }

  /** Returns what the facts of a table say.
    * @param table   name of the table in errors
    * @param waiting how long a write waits for others; evaluated only if stock Hudi's writers may be there
    * @param clock   milliseconds since 1970
    * Errors: HUDILITE_TABLE_READ_ONLY if the storage or the version of the table has no such lock. */
  def of(
      files: TimelineFiles,
      table: String,
      config: TableConfig,
      waiting: => LockWait,
      clock: () => Long
  ): StockWriters =
    if (!config.hasStockLock) Absent
    else {
      whyNot(files).foreach { fix =>
        throw WriteChecks.refused(
          files.basePath.toString,
          TableConfig.Key.stockLock,
          TableConfig.Key.stockLockStorage,
          fix
        )
      }
      val limit = waiting
      val lock = files.storage.tagged.map(new StockLock(files, table, _, limit, clock))
      lock.fold[StockWriters](Absent)(new Present(_, new Heartbeats(files, clock), limit))
    }

  /** Returns why a table cannot take part in stock Hudi's lock, and what to do; None if it can. */
  def whyNot(files: TimelineFiles): Option[String] = {
    val scheme = Option(files.basePath.toUri.getScheme).getOrElse("file")
    if (!files.layout.namesCompletion)
      Some(
        "Stock Hudi's writers of version 6 do not see all that was committed while they wrote. " +
          s"$unset Then run CALL upgrade_table(table => '...', version => 9), and SET it again; or let " +
          "only one program at a time write."
      )
    else if (files.storage.tagged.isEmpty)
      Some(
        "Stock Hudi's lock needs a storage that replaces a file only if nobody has changed it, which " +
          s"$scheme: does not. Use a table on s3a:, or let only one program at a time write. $unset"
      )
    else None
  }

  private val unset =
    s"If it is set, run ALTER TABLE ... UNSET TBLPROPERTIES ('${TableConfig.Key.stockLock}')."

  /** Returns the writes that stock Hudi has begun and that may not have looked at the commits yet. Stock
    * Hudi does that before it creates the inflight file. */
  def starting(timeline: Timeline): Set[String] = {
    val begun = timeline.instants.filter(i => i.isWrite && i.state == Instant.Inflight).map(_.time)
    timeline.pending -- begun
  }
}
