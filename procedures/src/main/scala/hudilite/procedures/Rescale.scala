package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, LongType, StringType, StructType}

import hudilite.format.{BucketCounts, IndexKind}
import hudilite.index.RescaleStep
import hudilite.lock.RescaleTurns
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.meta.MetadataRows

/** Procedure `CALL rescale(table => 'db.t', buckets => 32 [, partitions => 'p > 3'] [, max_bytes => n]
  * [, dry_run => true])`. Changes the number of buckets of a table while others read and write it. Each
  * bucket is divided, or several become one, in a commit of its own. A call goes on where an earlier
  * one has stopped. A call with the old number of buckets undoes it.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for a number of buckets that is neither a
  * multiple nor a divisor of the table's, and for a third one; HUDILITE_UNSUPPORTED_STATEMENT for a
  * table without buckets, or that does not declare its index; HUDILITE_UNSUPPORTED_TABLE while a table
  * service of stock Hudi is pending; HUDILITE_CONCURRENT_WRITE beside another rescale;
  * HUDILITE_CORRUPT_DATA_FILE for a key that belongs to another bucket; those of a commit.
  * Source: decision 0027. */
final class Rescale(catalog: TableCatalog) extends Procedure {
  import Rescale._

  override def name: String = "rescale"
  override def purpose: String =
    "Changes the number of buckets of a table while it is in use, one bucket after another."
  override def example: String = "CALL rescale(table => 'db.t', buckets => 32)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.needed("buckets", "number of buckets, a multiple or a divisor of the table's",
      IntegerType),
    Procedure.optional("partitions",
      "condition on the partition columns; by default all partitions, and new ones"),
    Procedure.optional("max_bytes",
      "maximum number of bytes to read; at least one bucket is rewritten", LongType),
    Procedure.optional("dry_run", "whether to only show what would be rewritten", BooleanType,
      "false")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val count = arguments.number(1, "buckets", 1)
    val most = arguments.bytesOrNone(3, "max_bytes")
    val isDry = arguments.flag(4, "dry_run")
    val table = arguments.writableTable(0, "table")
    val now = countsOf(arguments, table)
    checkPossible(arguments, now, count)
    val columns = StructType(table.config.partitionFields.map(table.schema(_)))
    val wanted = arguments.partitionFilter(2, "partitions", columns)
    val isPartial = arguments.textOrNone(2).nonEmpty
    val rescale = new TableRescale(
      SparkSession.active,
      () => arguments.writableTable(0, "table"),
      new RescaleTurns(table.timeline),
      columns,
      countsFor(now, count, isPartial),
      count
    )
    val done =
      if (isDry) rescale.plan(table, wanted, most).map(step => row(step, None))
      else
        rescale.run(wanted, most, ends = !isPartial).map { case (step, files) =>
          row(step, Some(files.map(_.rows).sum -> files.map(_.fileBytes).sum))
        }
    Result.of(schema, done)
  }

  private def countsOf(arguments: Arguments, table: HudiliteTable): BucketCounts = {
    arguments.checkDeclared(table)
    table.snapshot.checkNothingPlanned()
    table.snapshot.checkBucketRules()
    table.snapshot.counts.getOrElse(
      throw arguments.refused(table.name,
        "The table has no buckets. CALL advise_buckets tells " +
          "whether buckets would be better for it.")
    )
  }
}

private object Rescale {

  private val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("bucket", IntegerType, nullable = false)
    .add("from_buckets", IntegerType, nullable = false)
    .add("to_buckets", IntegerType, nullable = false)
    .add("bytes_read", LongType, nullable = false)
    .add("rows", LongType)
    .add("bytes_written", LongType)

  private def row(step: RescaleStep, written: Option[(Long, Long)]): InternalRow =
    MetadataRows.row(
      step.partition,
      step.whole.number,
      step.count,
      step.to.head.count,
      step.bytes,
      written.map(_._1),
      written.map(_._2)
    )

  /** Fails if the table cannot get a number of buckets.
    * Errors: HUDILITE_ARGUMENT_INVALID. */
  private def checkPossible(arguments: Arguments, now: BucketCounts, count: Int): Unit = {
    def invalid(fix: String) = arguments.invalid("buckets", count.toString, fix)
    import now.{areMixed, other, own}
    if (count > IndexKind.maxBuckets)
      throw invalid(s"Write a number that is at most ${IndexKind.maxBuckets}.")
    if (areMixed && count != own && count != other)
      throw invalid(
        s"A rescale from $own to $other buckets has begun. Write $other to finish it, or $own to undo it."
      )
    if (!areMixed && !now.canBecome(count))
      throw invalid(s"The table has $own buckets. Write a multiple or a divisor of $own.")
  }

  /** Returns the numbers of buckets of a table while it is rescaled.
    * @param isPartial whether only some partitions are, and new ones stay as they were */
  private def countsFor(now: BucketCounts, count: Int, isPartial: Boolean): BucketCounts = {
    val other = if (now.areMixed) now.other else count
    val takesOther = if (isPartial) now.areMixed && now.takesOther else count == other
    BucketCounts(now.own, other, takesOther && now.own != other)
  }
}
