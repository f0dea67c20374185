package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan

import hudilite.spark.meta.{BucketRows, FileList}

/** Procedure `CALL show_buckets(table => 'db.t' [, partition => 'p=a'])`. Returns the files, rows
  * and bytes of each bucket, and its skew: its rows divided by the mean of all buckets.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for an unknown partition;
  * HUDILITE_UNSUPPORTED_STATEMENT for a table without buckets or without a declared index; those of
  * a scan. */
final class ShowBuckets(catalog: TableCatalog) extends Procedure {

  override def name: String = "show_buckets"
  override def purpose: String = "Lists files, rows, bytes and skew of each bucket of a table."
  override def example: String = "CALL show_buckets(table => 'db.t')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("partition", "path of the partition to show; by default all")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val table = arguments.table(0, "table")
    arguments.checkDeclared(table)
    table.snapshot.counts.map(_.fine) match {
      case Some(count) =>
        val partition = arguments.partitionOrNone(1, "partition", table)
        Result.of(BucketRows.schema, BucketRows.of(new FileList(table, partition), count))
      case None =>
        throw arguments.refused(
          table.name,
          "It has no buckets. CALL show_index and CALL show_files list its file groups."
        )
    }
  }
}
