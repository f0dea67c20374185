package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.merge.FileGroupResult
import hudilite.spark.repair.BucketRepair

/** Procedure `CALL repair_bucket(table => 'db.t', partition => 'p=a', bucket => 3)`. Merges the
  * file groups of a bucket that has more than one, as two writers of stock Hudi may leave it. For
  * each key the row of the latest commit is kept. It makes one replacecommit, so readers see all of
  * the change or nothing.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for a bucket with fewer than two file
  * groups; HUDILITE_CORRUPT_DATA_FILE for a file with keys of other buckets;
  * HUDILITE_UNSUPPORTED_TABLE while a table service of stock Hudi is pending; those of a commit.
  * Source: issue 5, faults F49. */
final class RepairBucket(catalog: TableCatalog) extends Procedure {

  override def name: String = "repair_bucket"
  override def purpose: String =
    "Merges the file groups of a bucket that has more than one; keeps the latest row of each key."
  override def example: String =
    "CALL repair_bucket(table => 'db.t', partition => 'p=a', bucket => 3)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.needed("partition",
      "path of the partition, as CALL verify shows it; '' for a table without partitions"),
    Procedure.needed("bucket", "number of the bucket, from 0", IntegerType)
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val table = arguments.writableTable(0, "table")
    val partition = arguments.text(1, "partition",
      "Write the partition path, or '' for a table without partitions.")
    val bucket = arguments.number(2, "bucket", 0)
    val session = SparkSession.active
    table.snapshot.checkNothingPlanned()
    table.snapshot.checkBucketRules()
    val slices = BucketRepair.surplus(table, partition, bucket).getOrElse {
      throw arguments.invalid(
        "bucket",
        bucket.toString,
        s"It has only one file group in partition '$partition'. CALL verify lists buckets with several."
      )
    }
    val done = BucketRepair.merge(session, table, partition, bucket, slices)
    Result.of(RepairBucket.schema, Seq(RepairBucket.row(done, slices.size)))
  }
}

object RepairBucket {

  private val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("bucket", IntegerType, nullable = false)
    .add("file_groups_replaced", IntegerType, nullable = false)
    .add("rows", LongType, nullable = false)

  private def row(done: FileGroupResult, replaced: Int): InternalRow =
    InternalRow(UTF8String.fromString(done.partition), done.bucket, replaced, done.rows)
}
