package hudilite.spark.exec

import scala.util.control.NonFatal

import hudilite.service.Cleaner
import hudilite.spark.catalog.{CallText, HudiliteTable}
import hudilite.spark.error.Warnings
import hudilite.spark.plan.AutomaticClean

/** Automatic clean of a table after a write, if the table's properties turn it on (driver side). */
object CleanAfterWrite {

  /** Cleans the table. The write is committed already: a failure is logged as a warning and does
    * not fail the statement. */
  def apply(table: HudiliteTable): Unit =
    AutomaticClean.retention(table.config.properties).foreach { retention =>
      try cleaner(table).run(retention): Unit
      catch {
        case NonFatal(e) =>
          Warnings.say(
            s"The write to table ${table.name} succeeded, but the clean after it failed: " +
              s"${e.getMessage}. Run ${CallText.of(table, "clean")}."
          )
      }
    }

  /** Returns the cleaner of a table. */
  def cleaner(table: HudiliteTable): Cleaner = new Cleaner(
    table.timeline,
    table.config,
    table.log,
    () => System.currentTimeMillis()
  )
}
