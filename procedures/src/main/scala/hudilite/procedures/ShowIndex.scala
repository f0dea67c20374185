package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan

import hudilite.spark.meta.IndexRows

/** Procedure `CALL show_index(table => 'db.t')`. Returns the key range and the bloom filter of each
  * latest base file, one row per file group, ordered by partition and least key. Tasks read the
  * footers.
  *
  * Errors: those of [[Arguments]]; HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE.
  * Source: issue 6; seed 001, hudi-format §4.6-4.7. */
final class ShowIndex(catalog: TableCatalog) extends Procedure {

  override def name: String = "show_index"
  override def purpose: String =
    "Lists rows, key range and bloom filter of each file group, and how many key ranges overlap it."
  override def example: String = "CALL show_index(table => 'db.t')"

  override def parameters: Array[ProcedureParameter] =
    Array(Procedure.table)

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val table = new Arguments(catalog, name, input).table(0, "table")
    val slices = table.snapshot.allSlices
    Result.of(IndexRows.schema, IndexRows.of(SparkSession.active, slices.flatMap(_.withoutLogs)))
  }
}
