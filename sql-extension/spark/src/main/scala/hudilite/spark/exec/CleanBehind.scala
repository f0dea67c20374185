package hudilite.spark.exec

import scala.util.control.NonFatal

import hudilite.service.Cleaner
import hudilite.spark.Warnings
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.AutomaticClean

/** Cleans a table behind a write, where the table says so. */
object CleanBehind {

  /** The write stands: a fault is told, and does not make it fail. */
  def apply(table: HudiliteTable): Unit =
    AutomaticClean.retention(table.config.properties).foreach { retention =>
      try cleaner(table).run(retention): Unit
      catch {
        case NonFatal(e) =>
          Warnings.say(
            s"The write to ${table.name} stands, but the clean behind it failed: " +
              s"${e.getMessage}; CALL clean(table => '${table.name}') does it again."
          )
      }
    }

  /** What cleans a table. */
  def cleaner(table: HudiliteTable): Cleaner = new Cleaner(
    table.storage,
    table.basePath,
    table.config,
    table.log,
    () => System.currentTimeMillis()
  )
}
