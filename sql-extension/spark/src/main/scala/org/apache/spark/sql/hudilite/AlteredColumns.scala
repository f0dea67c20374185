package org.apache.spark.sql.hudilite

import org.apache.spark.sql.connector.catalog.{CatalogV2Util, TableChange}
import org.apache.spark.sql.types.{StructField, StructType}

/** Columns after a change of ALTER TABLE, as Spark applies it: columns, fields of structs, their types,
  * comments and positions. Bridge to CatalogV2Util and `StructType.findNestedField`, which are
  * private[sql]. */
object AlteredColumns {

  /** Returns the columns after a change. A change that does not concern columns has no effect. */
  def of(columns: StructType, change: TableChange): StructType =
    CatalogV2Util.applySchemaChanges(columns, Seq(change), Some("hudilite"), "ALTER TABLE")

  /** Returns a column, or a field in it: of a struct, the element of an array, the value of a map.
    * @param path name of the column, then the names of the fields */
  def find(columns: StructType, path: Seq[String]): Option[StructField] =
    columns.findNestedField(path, includeCollections = true).map(_._2)
}
