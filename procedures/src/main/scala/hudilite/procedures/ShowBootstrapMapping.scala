package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.IntegerType

import hudilite.spark.meta.BootstrapRows

/** Procedure that returns the bootstrap source file of each adopted file group:
  * `CALL show_bootstrap_mapping(table => 'db.t' [, partition => 'p=a'] [, limit => 100])`.
  * The rows come from the bootstrap index, ordered by partition and file id. A table that was not
  * bootstrapped has none.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for an unknown partition;
  * HUDILITE_MISSING_FILE, HUDILITE_CORRUPT_TIMELINE for a lost or damaged index.
  * Source: hudi-format §8.4. */
final class ShowBootstrapMapping(catalog: TableCatalog) extends Procedure {

  override def name: String = "show_bootstrap_mapping"
  override def purpose: String =
    "Lists the source file of each bootstrapped file group, and whether the file is unchanged."
  override def example: String = "CALL show_bootstrap_mapping(table => 'db.t')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("partition",
      "path of the partition to show; by default all"),
    Procedure.optional("limit", "maximum number of rows to show", IntegerType, value = "100"),
    Procedure.optional("partition_path", "the same as partition, as stock Hudi names it")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val table = arguments.table(0, "table")
    val asked = arguments.oneOf(1, "partition", 3, "partition_path")
    val limit = arguments.limit(2, "limit")
    val rows = BootstrapRows.of(table, asked, limit)
    asked.filter(_ => rows.isEmpty).foreach { one =>
      if (!table.snapshot.partitions().contains(one))
        throw arguments.invalid("partition", one,
          "Write a partition path of the table, for example 'p=a'.")
    }
    Result.of(BootstrapRows.schema, rows)
  }
}
