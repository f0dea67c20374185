package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, LongType, StringType, StructType}

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.meta.MetadataRows
import hudilite.spark.plan.FileSizes
import hudilite.spark.repair.{ClusterSteps, Clustering}

/** Procedure `CALL cluster(table => 'db.t', order_by => 'a, b' [, partitions => 'p > 3']
  * [, target_file_size => '128m'] [, dry_run => true])`, or with `zorder` instead of `order_by`. Sorts
  * the rows of a table without buckets into new files, so that a file has few of the values of the
  * columns, in one replacecommit for each partition. Small files are packed, and log files are
  * merged. Rows keep their meta columns, except `_hoodie_file_name`. A partition with one file that
  * stays one is left as it is.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID also for columns by which rows cannot
  * be sorted; HUDILITE_UNSUPPORTED_STATEMENT for a table with buckets or without a declared index;
  * HUDILITE_UNSUPPORTED_TABLE while a table service of stock Hudi is pending, or if the rows of log
  * files cannot be merged; HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE; those of a
  * commit; HUDILITE_PARTLY_COMMITTED after the commit of a partition.
  * Source: Hudi's clustering, Delta's ZORDER BY. */
final class Cluster(catalog: TableCatalog) extends Procedure {

  override def name: String = "cluster"
  override def purpose: String =
    "Sorts the rows of a table without buckets into new files by some columns, partition by partition."
  override def example: String = "CALL cluster(table => 'db.t', zorder => 'city, day')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("order_by",
      "columns by which rows are sorted, the first one first, separated by commas"),
    Procedure.optional("zorder",
      "instead: columns that count alike, at most 8, for queries that filter any of them"),
    Procedure.optional("partitions",
      "condition on the partition columns; by default all partitions"),
    Procedure.optional("target_file_size",
      s"size that new files should have, such as 128m; by default ${FileSizes.MaxSize}"),
    Procedure.optional("dry_run", "whether to only count the files", BooleanType, "false")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val isDryRun = arguments.flag(5, "dry_run")
    val (argument, columns) = Cluster.columns(arguments)
    val target = arguments.fileSizeOrNone(4, "target_file_size")
    val table = arguments.writableTable(0, "table")
    checkIndex(arguments, table)
    val places = StructType(table.config.partitionFields.map(table.schema(_)))
    val asked = ClusterSteps.Asked(
      arguments.columnParts(argument, columns),
      columns,
      argument == "zorder",
      arguments.textOrNone(3),
      arguments.partitionFilter(3, "partitions", places),
      target,
      arguments.textOrNone(4)
    )
    val steps =
      new ClusterSteps(SparkSession.active, () => arguments.writableTable(0, "table"), asked)
    val rows =
      if (isDryRun) steps.plans(table).map(Cluster.row(_, None))
      else steps.run(table).map(done => Cluster.row(done.plan, Some(done.files)))
    Result.of(Cluster.schema, rows)
  }

  private def checkIndex(arguments: Arguments, table: HudiliteTable): Unit = {
    arguments.checkDeclared(table)
    if (table.config.hasBuckets) {
      val copy = new CopyText(catalog, arguments).of(table, "_bloom", None)
      throw arguments.refused(
        table.name,
        "A bucket is one file in the order of the record key, on which MERGE relies. A table without " +
          s"buckets can be sorted. To copy the rows into one, type: $copy"
      )
    }
  }
}

object Cluster {

  /** Returns the argument with the columns, and its text.
    * Errors: HUDILITE_ARGUMENT_INVALID unless one of the two is given. */
  private def columns(arguments: Arguments): (String, String) =
    (arguments.textOrNone(1), arguments.textOrNone(2)) match {
      case (Some(names), None) => ("order_by", names)
      case (None, Some(names)) => ("zorder", names)
      case (Some(_), Some(names)) =>
        throw arguments.invalid("zorder", names, "Write one of order_by and zorder.")
      case (None, None) =>
        throw arguments.invalid(
          "order_by",
          "NULL",
          "Write columns that queries filter, for example order_by => 'day' or zorder => 'city, day'."
        )
    }

  private val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("old_file_groups", IntegerType, nullable = false)
    .add("new_file_groups", IntegerType, nullable = false)
    .add("rows", LongType)
    .add("bytes_rewritten", LongType, nullable = false)
    .add("bytes", LongType)

  /** @param done the new files, None if there are none yet */
  private def row(plan: Clustering.Plan, done: Option[Seq[FileGroupResult]]): InternalRow =
    MetadataRows.row(
      plan.partition,
      plan.slices.size,
      done.fold(plan.files)(_.size),
      done.map(_.map(_.rows).sum),
      plan.bytes,
      done.map(_.map(_.fileBytes).sum)
    )
}
