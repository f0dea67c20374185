package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan

import hudilite.format.TableVersion

/** Procedure `CALL upgrade_table(table => 'db.t' [, version => 9])`. Changes a table of version 6 or 8
  * into one of version 9, or one of version 6 into one of version 8. Rows, base files and table states
  * stay. Does nothing if the table has the version.
  *
  * Errors: those of [[TableVersions.change]]; HUDILITE_ARGUMENT_INVALID for an earlier version.
  * Source: table-versions §7.9. */
final class UpgradeTable(catalog: TableCatalog) extends Procedure {
  override def name: String = "upgrade_table"
  override def purpose: String = "Changes a table into one of a later version of Hudi's format."
  override def example: String = "CALL upgrade_table(table => 'db.t', version => 9)"
  override def parameters: Array[ProcedureParameter] = TableVersions.parameters

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val row = TableVersions.change(catalog, name, input, TableVersion.Nine) { (from, to) =>
      Option.when(to.code.toInt < from.code.toInt)(
        s"The table has version ${from.code}. Write CALL downgrade_table(table => '...', " +
          s"version => ${to.code})."
      )
    }
    Result.of(TableVersions.schema, Seq(row))
  }
}
