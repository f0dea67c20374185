package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.connector.catalog.{Table, V2TableWithV1Fallback}

/** A table that a data source of the old interfaces streams: bridge to the private[sql]
  * V2TableWithV1Fallback, which Spark asks in `readStream.table` and `toTable`. */
trait StreamedTable extends Table with V2TableWithV1Fallback {

  /** The table as that source finds it. */
  override def v1Table: CatalogTable
}
