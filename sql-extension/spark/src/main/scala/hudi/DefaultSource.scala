package hudi

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.types.StructType

import hudilite.spark.HudiliteSource
import hudilite.spark.catalog.{HudiliteTable, ShownMetaColumns}
import hudilite.spark.plan.HudiProvider

/** Data source `hudi` of USING and `format(..)` where stock Hudi is not on the class path: Spark
  * takes a class of this name only if no jar registers `hudi`. It is hudilite if the session says so,
  * and fails otherwise. As in stock Hudi, a read returns Hudi's meta columns, too.
  * Errors of each use: HUDILITE_PROVIDER_UNSET. */
final class DefaultSource extends HudiliteSource {
  override def shortName(): String = HudiProvider.hudi

  override protected def checkAsked(): Unit =
    if (!HudiProvider.isAsked)
      throw HudiProvider.unset("format(\"hudi\")", "format(\"hudilite\")")

  override protected def shown(table: HudiliteTable): (Table, StructType) =
    if (!table.config.hasMetaFields) super.shown(table)
    else {
      val whole = new ShownMetaColumns(table)
      (whole, whole.schema)
    }
}
