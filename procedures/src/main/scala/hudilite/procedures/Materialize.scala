package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.merge.FileGroupResult
import hudilite.spark.repair.Materialization

/** Procedure `CALL materialize(table => 'db.t' [, partitions => 'p > 3'] [, max_bytes => n])`.
  * Rewrites adopted file groups into whole base files with the same rows and meta columns, in one
  * commit, so that they no longer need their bootstrap source files. Makes no commit if there are
  * none.
  *
  * Errors: those of [[Arguments]]; HUDILITE_UNSUPPORTED_STATEMENT for a
  * table that does not declare its index; HUDILITE_UNSUPPORTED_TABLE while a table service of stock
  * Hudi is pending; HUDILITE_SOURCE_CHANGED, HUDILITE_MISSING_DATA_FILE,
  * HUDILITE_CORRUPT_DATA_FILE; those of a commit.
  * Source: hudi-format §8.8. */
final class Materialize(catalog: TableCatalog) extends Procedure {

  override def name: String = "materialize"
  override def purpose: String =
    "Rewrites bootstrapped file groups as base files that no longer need their source files."
  override def example: String = "CALL materialize(table => 'db.t')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("partitions",
      "condition on the partition columns; by default all partitions"),
    Procedure.optional("max_bytes",
      "maximum number of source bytes to read; at least one file group is rewritten",
      LongType)
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val session = SparkSession.active
    val most = arguments.bytesOrNone(2, "max_bytes")
    val table = arguments.writableTable(0, "table")
    val columns = StructType(table.config.partitionFields.map(table.schema(_)))
    val wanted = arguments.partitionFilter(1, "partitions", columns)
    arguments.checkDeclared(table)
    table.snapshot.checkNothingPlanned()
    table.snapshot.checkBucketRules()
    val slices = Materialization.chosen(table, columns, wanted, most)
    val done = Materialization.commit(session, table, slices)
    Result.of(Materialize.schema, done.map(Materialize.row))
  }
}

object Materialize {

  private val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("rows", LongType, nullable = false)
    .add("bytes", LongType, nullable = false)

  private def row(done: FileGroupResult): InternalRow = InternalRow(
    UTF8String.fromString(done.partition),
    UTF8String.fromString(done.fileId),
    done.rows,
    done.fileBytes
  )
}
