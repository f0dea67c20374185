package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.connector.catalog._

/** A catalog as CREATE TABLE AS SELECT uses it: the table is new, and goes when its rows fail.
  * @param catalog makes and loads the table */
private[spark] final class CreationCatalog(catalog: CatalogExtension, tables: SessionTables)
    extends DelegatingCatalogExtension {
  setDelegateCatalog(catalog)

  /** Errors: HUDILITE_LOCATION_NOT_EMPTY, those of the catalog. */
  override def createTable(ident: Identifier, info: TableInfo): Table = {
    val location = Option(info.properties.get(TableCatalog.PROP_LOCATION))
    tables.checkEmpty(tableOf(ident), location)
    catalog.asInstanceOf[TableCatalog].createTable(ident, info)
  }

  /** Takes back what `createTable` made; a table that has a commit by now stays. */
  override def dropTable(ident: Identifier): Boolean =
    tables.find(tableOf(ident)).exists(tables.discard)

  override def toString: String = name

  private def tableOf(ident: Identifier): TableIdentifier =
    TableIdentifier(ident.name, ident.namespace.headOption)
}
