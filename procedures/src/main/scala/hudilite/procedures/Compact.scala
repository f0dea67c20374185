package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.repair.CompactionSteps
import hudilite.view.FileSlice

/** Procedure `CALL compact(table => 'db.t' [, where => 'p > 3'] [, min_log_files => n])`. Rewrites
  * each file slice of a merge-on-read table that has at least n log files into the next base file
  * of its file group, in a commit of some partitions at a time. Rows keep their meta columns,
  * except `_hoodie_file_name`; deleted rows are gone. Makes no commit if there are no such slices.
  *
  * Errors: those of [[Arguments]]; HUDILITE_UNSUPPORTED_STATEMENT for a
  * table that is not merge-on-read; HUDILITE_UNSUPPORTED_TABLE while a table service of stock Hudi is
  * pending, or if the rows of the log files cannot be merged; HUDILITE_MISSING_DATA_FILE,
  * HUDILITE_CORRUPT_DATA_FILE; those of a commit; HUDILITE_PARTLY_COMMITTED after the commit of a
  * partition.
  * Source: merge-on-read §5.4, §8.4. */
final class Compact(catalog: TableCatalog) extends Procedure {

  override def name: String = "compact"
  override def purpose: String =
    "Merges the log files of a merge-on-read table into its base files, some partitions at a time."
  override def example: String = "CALL compact(table => 'db.t', min_log_files => 4)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("where",
      "condition on the partition columns; by default all partitions"),
    Procedure.optional("min_log_files",
      "number of log files from which on a file group is rewritten, 1 or more",
      IntegerType, "1")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val least = arguments.number(2, "min_log_files", 1)
    val open = () => arguments.writableTable(0, "table")
    val done = Compact.run(arguments, SparkSession.active, open, Some(1), least)
    Result.of(Compact.schema, done.map { case (file, of) => Compact.row(file, of) })
  }
}

object Compact {

  /** Compacts a table, and returns the new files with the slices that they replace.
    * @param open  opens the table as it is then
    * @param where ordinal of the argument `where`; None: all partitions
    * @param least number of log files from which on a slice is rewritten
    * Errors: as above. */
  private[procedures] def run(
      arguments: Arguments,
      session: SparkSession,
      open: () => HudiliteTable,
      where: Option[Int],
      least: Int
  ): Seq[(FileGroupResult, FileSlice)] = {
    val table = open()
    if (!table.config.isMergeOnRead)
      throw arguments.refused(
        table.name,
        "Nothing has to be done: the table is copy-on-write, so it has no log files."
      )
    val columns = StructType(table.config.partitionFields.map(table.schema(_)))
    val wanted: InternalRow => Boolean =
      where.fold((_: InternalRow) => true)(arguments.partitionFilter(_, "where", columns))
    val text = where.flatMap(arguments.textOrNone)
    new CompactionSteps(session, open, CompactionSteps.byLogFiles(text, wanted, least)).run(table)
  }

  private val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("rows", LongType, nullable = false)
    .add("log_files", IntegerType, nullable = false)
    .add("bytes", LongType, nullable = false)

  private def row(done: FileGroupResult, of: FileSlice): InternalRow = InternalRow(
    UTF8String.fromString(done.partition),
    UTF8String.fromString(done.fileId),
    done.rows,
    of.logs.size,
    done.fileBytes
  )
}
