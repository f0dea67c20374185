package org.apache.spark.sql.hudilite

import org.apache.spark.sql.connector.catalog.{Table, V1Table}

/** Adapts the session catalog's tables of Spark's own formats. Bridge to Spark's private[sql]
  * V1Table. */
object PlainTables {

  /** Prepares a table for a catalog with another name than the session catalog: there Spark fails
    * to scan a table whose partitions the session catalog tracks. A table without partition columns
    * has no partitions to track, so the flag is cleared.
    * @return any other table unchanged */
  def untracked(table: Table): Table = table match {
    case V1Table(entry) if entry.partitionColumnNames.isEmpty =>
      V1Table(entry.copy(tracksPartitionsInCatalog = false))
    case other => other
  }
}
