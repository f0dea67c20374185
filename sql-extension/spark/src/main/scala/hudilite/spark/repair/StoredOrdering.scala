package hudilite.spark.repair

import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.hudilite.PlanFrame

import hudilite.error.HudiliteException
import hudilite.format.MergeOrder
import hudilite.spark.catalog.HudiliteTable

/** Values of the ordering fields in the rows of a table that becomes merge-on-read. Runs on the driver.
  * Source: decision 0022. */
object StoredOrdering {

  /** Fails if a row of a table has NULL in an ordering field: readers of log files compare the values.
    * @param table the state that is looked at
    * Errors: HUDILITE_NULL_ORDERING_STORED; those of a scan. */
  def check(session: SparkSession, table: HudiliteTable): Unit = {
    val decides = MergeOrder.of(table.config) == MergeOrder.EventTime
    val fields = if (decides) table.config.orderingFields.filter(isNullable(table, _)) else Nil
    lazy val rows = PlanFrame.of(session, DataSourceV2Relation.create(table, None, None))
    fields.find(name => !rows.where(col(quoteIdentifier(name)).isNull).isEmpty).foreach { name =>
      throw HudiliteException(
        "HUDILITE_NULL_ORDERING_STORED",
        "column" -> name,
        "table" -> table.name,
        "state" -> table.asOf.fold("")(at => s" VERSION AS OF '${at.text}'")
      )
    }
  }

  private def isNullable(table: HudiliteTable, name: String): Boolean =
    table.schema.find(_.name == name).forall(_.nullable)
}
