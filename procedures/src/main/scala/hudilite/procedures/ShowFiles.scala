package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.IntegerType

import hudilite.spark.meta.{FileList, FileRows}

/** Procedure `CALL show_files(table => 'db.t' [, partition => 'p=a'] [, limit => 100])`. Returns
  * the base files that readers open, ordered by partition and file group.
  * `SELECT * FROM db.t.files` returns the same rows.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for an unknown partition; those of a
  * scan. */
final class ShowFiles(catalog: TableCatalog) extends Procedure {

  override def name: String = "show_files"
  override def purpose: String = "Lists the base files of the latest version of a table."
  override def example: String = "CALL show_files(table => 'db.t', partition => 'p=a')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("partition", "path of the partition to show; by default all"),
    Procedure.optional("limit", "maximum number of rows to show, 1 or more", IntegerType,
      value = "100")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val limit = arguments.limit(2, "limit")
    val table = arguments.table(0, "table")
    val partition = arguments.partitionOrNone(1, "partition", table)
    Result.of(FileRows.schema, FileRows.of(new FileList(table, partition)).take(limit))
  }
}
