package org.apache.spark.sql.hudilite

import org.apache.spark.sql.connector.catalog.{Table, V1Table}

/** Bridge to Spark's private[sql] V1Table, the session catalog's tables of Spark's own formats. */
object PlainTables {

  /** The table as a catalog of another name must show it: Spark refuses to scan one whose partitions
    * the session catalog tracks. One without partition columns has none to track.
    * @return any other table as it is */
  def untracked(table: Table): Table = table match {
    case V1Table(entry) if entry.partitionColumnNames.isEmpty =>
      V1Table(entry.copy(tracksPartitionsInCatalog = false))
    case other => other
  }
}
