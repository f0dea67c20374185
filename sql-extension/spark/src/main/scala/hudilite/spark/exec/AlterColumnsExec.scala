package hudilite.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.connector.catalog.{Identifier, TableChange}
import org.apache.spark.sql.execution.datasources.v2.LeafV2CommandExec

import hudilite.spark.catalog.{ColumnChanges, HudiliteTable, HudiliteTableCatalog}
import hudilite.spark.rewrite.RewriteCommit
import hudilite.timeline.{CommitMetadata, FileGroupRef}

/** Operator of ALTER TABLE for column changes (driver side). For RENAME, DROP and ALTER COLUMN
  * TYPE, tasks rewrite the files: one commit gives each file group a new base file with the same
  * rows and meta columns under the new columns. Readers find a column by its name, so no file of
  * the latest state may hold another column's values under that name.
  *
  * @param changes in the order of the statement */
case class AlterColumnsExec(
    catalog: HudiliteTableCatalog,
    ident: Identifier,
    changes: Seq[TableChange],
    refreshCache: () => Unit
) extends LeafV2CommandExec {

  override def output: Seq[Attribute] = Nil

  override protected def run(): Seq[InternalRow] = {
    catalog.alterColumns(ident, changes)(rewrite)
    refreshCache()
    Nil
  }

  private def rewrite(table: HudiliteTable, columns: ColumnChanges): Unit = {
    table.snapshot.checkNothingPlanned()
    table.snapshot.checkBucketRules()
    val slices = table.snapshot.allSlices
    new RewriteCommit(session, table, CommitMetadata.alterSchema, Map.empty, Some(columns))
      .commit(slices.map(_.partition).distinct, Set(FileGroupRef.wholeTable)) { files =>
        session.sparkContext
          .parallelize(slices, math.max(slices.size, 1))
          .map(files.copy(_))
      }: Unit
  }
}
