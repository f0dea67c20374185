package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.connector.catalog.{Table, V2TableWithV1Fallback}

/** Table whose streams use a data source of the V1 interfaces. Bridge to the private[sql]
  * V2TableWithV1Fallback, which Spark uses in `readStream.table` and `toTable`. */
trait StreamedTable extends Table with V2TableWithV1Fallback {

  /** Catalog entry by which that source finds the table. */
  override def v1Table: CatalogTable
}
