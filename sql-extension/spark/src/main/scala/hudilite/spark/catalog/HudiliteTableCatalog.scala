package hudilite.spark.catalog

import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog, TableChange}

import hudilite.spark.plan.NewTableFormat

/** Catalog that creates and changes tables with USING hudilite, as rules and operators of
  * statements use it. Its one class, HudiliteCatalog, stands above them. */
trait HudiliteTableCatalog extends TableCatalog with NewTableFormat.OwnCatalog {

  /** Returns this catalog as CREATE TABLE AS SELECT needs it: a new table is dropped again if the
    * write of its rows fails. */
  def forCreation: TableCatalog

  /** Fails if ALTER TABLE could not change the entry of a hudilite table.
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT for an entry of stock Hudi. */
  def checkAlterable(ident: Identifier): Unit

  /** Runs ALTER TABLE on a hudilite table; other tables stay as they are.
    * @param rewrite rewrites each base file of the table, as one commit */
  def alterColumns(ident: Identifier, changes: Seq[TableChange])(
      rewrite: (HudiliteTable, ColumnChanges) => Unit
  ): Unit
}
