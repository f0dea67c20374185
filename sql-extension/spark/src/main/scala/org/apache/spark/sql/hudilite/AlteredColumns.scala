package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.util.ResolveDefaultColumnsUtils.{
  CURRENT_DEFAULT_COLUMN_METADATA_KEY,
  EXISTS_DEFAULT_COLUMN_METADATA_KEY
}
import org.apache.spark.sql.connector.catalog.{CatalogV2Util, TableChange}
import org.apache.spark.sql.types.{MetadataBuilder, StructField, StructType}

/** Columns after a change of ALTER TABLE, as Spark applies it: columns, fields of structs, their types,
  * comments and positions. Bridge to CatalogV2Util and `StructType.findNestedField`, which are
  * private[sql]. */
object AlteredColumns {
  private val defaults = Seq(
    CURRENT_DEFAULT_COLUMN_METADATA_KEY,
    EXISTS_DEFAULT_COLUMN_METADATA_KEY
  ).map(key => key -> s"hudilite.$key")

  /** Returns the columns after a change; the defaults of others stay, which Spark would refuse for
    * a provider outside `spark.sql.defaultColumn.allowedProviders`. A change that does not concern
    * columns has no effect. */
  def of(columns: StructType, change: TableChange): StructType = change match {
    case default: TableChange.UpdateColumnDefaultValue => applied(columns, default)
    case _ => withKeys(applied(withKeys(columns, defaults), change), defaults.map(_.swap))
  }

  private def applied(columns: StructType, change: TableChange): StructType =
    CatalogV2Util.applySchemaChanges(columns, Seq(change), Some("hudilite"), "ALTER TABLE")

  /** Returns the columns with other keys for texts in their metadata. */
  private def withKeys(columns: StructType, keys: Seq[(String, String)]): StructType =
    StructType(columns.map { column =>
      val metadata = keys.foldLeft(column.metadata) {
        case (of, (from, to)) if of.contains(from) =>
          val copy = new MetadataBuilder().withMetadata(of)
          copy.putString(to, of.getString(from)).remove(from).build()
        case (of, _) => of
      }
      column.copy(metadata = metadata)
    })

  /** Returns a column, or a field in it: of a struct, the element of an array, the value of a map.
    * @param path name of the column, then the names of the fields */
  def find(columns: StructType, path: Seq[String]): Option[StructField] =
    columns.findNestedField(path, includeCollections = true).map(_._2)
}
