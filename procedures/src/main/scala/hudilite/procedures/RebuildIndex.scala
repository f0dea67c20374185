package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.catalog.CallText
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.repair.IndexRebuild

/** Procedure `CALL rebuild_index(table => 'db.t' [, partition => 'p=a'] [, level => 'rows'])`.
  * Rewrites, in one commit and with the same rows, the file groups whose footers have a missing,
  * damaged or wrong key range or bloom filter, or an overfull filter. Level rows reads all record
  * keys. It also rewrites file groups with keys that the footer excludes, and drops rows of which
  * another file has a newer one. Makes no commit if there are none.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for an unknown partition;
  * HUDILITE_UNSUPPORTED_STATEMENT for a table with buckets, with log files or without a declared index;
  * HUDILITE_UNSUPPORTED_TABLE while a table service of stock Hudi is pending;
  * HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE; those of a commit.
  * Source: issue 6; hudi-format §4.6-4.7. */
final class RebuildIndex(catalog: TableCatalog) extends Procedure {

  override def name: String = "rebuild_index"
  override def purpose: String =
    "Rewrites files whose key range or bloom filter is missing, damaged, overfull or (rows) wrong."
  override def example: String = "CALL rebuild_index(table => 'db.t', level => 'rows')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("partition",
      "path of the partition to check; by default all"),
    Procedure.optional("level", "footers, or rows to also read the keys of all rows",
      value = s"'${RebuildIndex.footers}'")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val level = arguments.choice(2, "level", RebuildIndex.levels)
    val table = arguments.writableTable(0, "table")
    if (table.config.hasBuckets)
      throw arguments.refused(
        table.name,
        "The table has a bucket index, which never needs to be rebuilt."
      )
    arguments.checkDeclared(table)
    table.snapshot.checkNothingPlanned()
    table.snapshot.checkBucketRules()
    val chosen = arguments
      .partitionOrNone(1, "partition", table)
      .fold(table.snapshot.partitions())(Seq(_))
    val slices = table.snapshot.slicesOf(chosen)
    if (!slices.forall(_.isOnlyBase))
      throw arguments.refused(
        table.name,
        s"Some of its keys are in log files. Run ${CallText.of(table, "compact")} first."
      )
    val done = new IndexRebuild(SparkSession.active, table, slices)
      .run(readsKeys = level == RebuildIndex.rows)
    Result.of(RebuildIndex.schema, done.map { case (file, code) => RebuildIndex.row(file, code) })
  }
}

object RebuildIndex {
  private val footers = "footers"
  private val rows = "rows"
  private val levels = Seq(footers, rows)

  private val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("rows", LongType, nullable = false)
    .add("reason", StringType, nullable = false)

  private def row(done: FileGroupResult, reason: String): InternalRow = InternalRow(
    UTF8String.fromString(done.partition),
    UTF8String.fromString(done.fileId),
    done.rows,
    UTF8String.fromString(reason)
  )
}
