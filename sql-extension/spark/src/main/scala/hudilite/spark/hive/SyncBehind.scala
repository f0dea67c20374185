package hudilite.spark.hive

import scala.util.control.NonFatal

import org.apache.spark.sql.classic.SparkSession

import hudilite.spark.catalog.{CallText, HudiliteTable}
import hudilite.spark.error.Warnings
import hudilite.spark.plan.AutomaticSync

/** Registers a table in the Hive metastore after a commit, if the table's properties ask for it. */
object SyncBehind {

  /** Runs the sync on the driver. The commit is complete by then, so a failure is logged as a
    * warning and does not fail the statement. */
  def apply(table: HudiliteTable): Unit =
    if (AutomaticSync.isOn(table.config.properties))
      try HiveRegistration.run(SparkSession.active, table): Unit
      catch {
        case e @ (NonFatal(_) | _: LinkageError) =>
          Warnings.say(
            s"The commit to table ${table.name} succeeded, but the Hive metastore was not updated: " +
              s"${e.getMessage}. Run ${CallText.of(table, "hive_sync")}."
          )
      }
}
