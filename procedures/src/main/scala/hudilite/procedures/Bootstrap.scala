package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{
  BooleanType,
  DoubleType,
  IntegerType,
  LongType,
  StringType,
  StructType
}

import hudilite.spark.bootstrap.{
  BootstrapCommand,
  BootstrapLayout,
  BootstrapResult,
  FileForecast
}
import hudilite.spark.meta.MetadataRows

/** Procedure `CALL bootstrap(table => 'db.t', source => '/data/events', key => 'id')`. Creates a
  * table over existing Parquet files. By default it adopts them: a file stays where it is, is never
  * written, and gets a skeleton with Hudi's meta columns and a bloom filter. Files in partitions
  * that match `full_partitions`, or all files in mode full, are rewritten into base files. With type
  * mor the table is merge-on-read: later updates and deletes add log files to adopted file groups.
  *
  * A bootstrap that was killed is finished or rolled back by the next call for the same table.
  *
  * Errors: those of [[BootstrapArguments]], [[BootstrapLayout]] and [[BootstrapCommand]]. All but
  * HUDILITE_COMMIT_STATE_UNKNOWN are raised before the table has a commit.
  * Source: seed 002; issue 7; hudi-format §8. */
final class Bootstrap(catalog: TableCatalog) extends Procedure {
  import Procedure._

  override def name: String = "bootstrap"
  override def purpose: String =
    "Creates a table over existing Parquet files, without rewriting them."
  override def example: String =
    "CALL bootstrap(table => 'db.t', source => '/data/events', key => 'id')"

  override def parameters: Array[ProcedureParameter] = Array(
    needed("table", "name of the new table"),
    needed("source", "folder with Parquet files, or a Parquet table of the catalog"),
    needed("key", "key columns, separated by commas"),
    optional("partitioned_by", "partition columns; by default those of the source"),
    optional("partitions", "condition on partition columns: the files to include"),
    optional("full_partitions", "condition on partition columns: the files to rewrite"),
    optional("location", "folder of the new table, which is then an external table"),
    optional("dry_run", "whether to only check the files", BooleanType, "false"),
    optional("mode", "metadata, or full to rewrite all files", value = "'metadata'"),
    optional("buckets", "in mode full: number of buckets of each partition", IntegerType),
    optional("parallelism", "maximum number of parallel tasks; by default that of the session",
      IntegerType),
    optional("skip_corrupt", "whether to skip files that cannot be read", BooleanType, "false"),
    optional("type", "type of the new table: cow, or mor whose writes add log files",
      value = "'cow'"),
    optional("ordering_field",
      "columns whose greatest values win among rows with one key, separated by commas"),
    optional("bloom_filters", "in mode full with buckets: whether base files get bloom filters",
      BooleanType, "false")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val session = SparkSession.active
    val request = BootstrapArguments.of(session, new Arguments(catalog, name, input))
    val began = System.nanoTime
    val command = new BootstrapCommand(session, BootstrapLayout.of(session, request), began)
    if (request.isDryRun) Result.of(Bootstrap.forecasts, command.dryRun().map(Bootstrap.forecast))
    else Result.of(Bootstrap.summary, Seq(Bootstrap.result(command.run())))
  }
}

object Bootstrap {

  private val summary: StructType = new StructType()
    .add("files_adopted", IntegerType, nullable = false)
    .add("files_rewritten", IntegerType, nullable = false)
    .add("files_refused", IntegerType, nullable = false)
    .add("rows", LongType, nullable = false)
    .add("bytes_read", LongType, nullable = false)
    .add("bytes_written", LongType, nullable = false)
    .add("seconds", DoubleType, nullable = false)
    .add("instant", StringType, nullable = false)

  /** Columns of the rows of a dry run. */
  private val forecasts: StructType = new StructType()
    .add("file", StringType, nullable = false)
    .add("action", StringType, nullable = false)
    .add("reason", StringType)
    .add("rows", LongType)
    .add("null_keys", LongType)
    .add("duplicate_keys", LongType)
    .add("bytes_to_write", LongType)

  private def result(done: BootstrapResult): InternalRow = MetadataRows.row(
    done.adopted,
    done.rewritten,
    done.refused,
    done.rows,
    done.read,
    done.written,
    done.seconds,
    done.instant
  )

  private def forecast(file: FileForecast): InternalRow = MetadataRows.row(
    file.path,
    file.action,
    file.reason,
    file.rows,
    file.nullKeys,
    file.duplicateKeys,
    file.bytesToWrite
  )
}
