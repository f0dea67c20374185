package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.connector.catalog._

/** Catalog for CREATE TABLE AS SELECT, which creates a new table and drops it again when the write
  * of its rows fails.
  * @param catalog creates and loads the table */
private[spark] final class CreationCatalog(catalog: CatalogExtension, tables: SessionTables)
    extends DelegatingCatalogExtension {
  setDelegateCatalog(catalog)

  /** Errors: HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN, those of the catalog. */
  override def createTable(ident: Identifier, info: TableInfo): Table = {
    val stated = Option(info.properties.get(TableCatalog.PROP_LOCATION))
    val location = if (TablePath.isPath(ident)) Some(ident.name) else stated
    tables.checkEmpty(tableOf(ident), location)
    catalog.asInstanceOf[TableCatalog].createTable(ident, info)
  }

  /** Drops the table that `createTable` made, unless it has a commit by now.
    * @return whether it was dropped */
  override def dropTable(ident: Identifier): Boolean =
    if (TablePath.isPath(ident)) tables.discardAt(ident.name)
    else tables.find(tableOf(ident)).exists(tables.discard)

  override def toString: String = name

  private def tableOf(ident: Identifier): TableIdentifier =
    TableIdentifier(ident.name, ident.namespace.headOption)
}
