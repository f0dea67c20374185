package hudilite.spark.exec

import scala.util.control.NonFatal

import hudilite.service.Archiver
import hudilite.spark.catalog.{CallText, HudiliteTable}
import hudilite.spark.error.Warnings
import hudilite.spark.plan.{AutomaticArchive, AutomaticClean}

/** Automatic archival of a table's timeline after a write, if the table's properties turn it on
  * (driver side). */
object ArchiveAfterWrite {

  /** Archives commits if the timeline has too many. The write is committed already: a failure is
    * logged as a warning and does not fail the statement. */
  def apply(table: HudiliteTable): Unit =
    AutomaticArchive.limits(table.config.properties).foreach { limits =>
      try {
        val archiver = of(table)
        if (archiver.isDue(limits)) archiver.run(limits): Unit
      } catch {
        case NonFatal(e) =>
          Warnings.say(
            s"The write to table ${table.name} succeeded, but the archival after it failed: " +
              s"${e.getMessage}. Run ${CallText.of(table, "archive")}."
          )
      }
    }

  /** Returns the archiver of a table. */
  def of(table: HudiliteTable): Archiver = new Archiver(
    table.timeline,
    table.config,
    table.log,
    AutomaticClean.retention(table.config.properties),
    () => System.currentTimeMillis()
  )
}
