package hudilite.spark.write

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkContext

import hudilite.commit.Transaction
import hudilite.error.HudiliteException
import hudilite.io.Storage
import hudilite.timeline.{TimelineFiles, TimelineLayout}

/** Instant under which the tasks of a write create data files; sent with the tasks.
  * @param layout layout of the table
  * @param ticket identifies the write where another write may use its instant again: a
  *               bootstrap's */
final case class PendingWrite(
    table: String,
    basePath: String,
    layout: TimelineLayout,
    instant: String,
    action: String,
    ticket: Option[Transaction.Ticket] = None
) {

  /** Returns the files of the table's timeline. */
  def timeline(storage: Storage): TimelineFiles =
    new TimelineFiles(storage, new Path(basePath), layout)

  /** Fails unless the write may still commit: the driver abandons a write without waiting for its
    * tasks, and may miss a file that is created meanwhile.
    * @throws HudiliteException HUDILITE_WRITE_ROLLED_BACK */
  def checkOpen(storage: Storage): Unit = {
    val files = timeline(storage)
    val isOpen = ticket.fold(Transaction.isOpen(files, instant, action))(_.isOpen(files))
    if (!isOpen)
      throw HudiliteException(
        "HUDILITE_WRITE_ROLLED_BACK",
        "table" -> table,
        "instant" -> instant
      )
  }
}

object PendingWrite {

  /** Returns what the inflight file of a write says about it, for people who look at pending writes.
    * @param operation Hudi's operation type of the commit */
  def about(context: SparkContext, operation: String): Map[String, String] = Map(
    "hudilite.operation" -> operation,
    "hudilite.application" -> context.applicationId
  )

  /** Returns the write of a transaction.
    * @param table name of the table in errors */
  def of(table: String, timeline: TimelineFiles, write: Transaction): PendingWrite =
    PendingWrite(
      table,
      timeline.basePath.toString,
      timeline.layout,
      write.instant,
      write.ticket.action
    )
}
