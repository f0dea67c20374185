package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan

import hudilite.format.TableVersion

/** Procedure `CALL downgrade_table(table => 'db.t' [, version => 6])`. Changes a table of version 8 or 9
  * into one of version 6, which all engines read, or one of version 9 into one of version 8. Rows, base
  * files and table states stay. Does nothing if the table has the version.
  *
  * Errors: those of [[TableVersions.change]]; HUDILITE_ARGUMENT_INVALID for a later version.
  * Source: table-versions §7.9. */
final class DowngradeTable(catalog: TableCatalog) extends Procedure {
  override def name: String = "downgrade_table"
  override def purpose: String = "Changes a table into one of an earlier version of Hudi's format."
  override def example: String = "CALL downgrade_table(table => 'db.t', version => 6)"
  override def parameters: Array[ProcedureParameter] = TableVersions.parameters

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val row = TableVersions.change(catalog, name, input, TableVersion.Six) { (from, to) =>
      Option.when(to.code.toInt > from.code.toInt)(
        s"The table has version ${from.code}. Write CALL upgrade_table(table => '...', " +
          s"version => ${to.code})."
      )
    }
    Result.of(TableVersions.schema, Seq(row))
  }
}
