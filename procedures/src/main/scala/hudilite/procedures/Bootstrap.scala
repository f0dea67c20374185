package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType}

/** Procedure `CALL bootstrap(table => 'db.t', source => '/data/events', key => 'id')`. Creates a
  * table over existing Parquet files. By default it adopts them: a file stays where it is, is never
  * written, and gets a skeleton with Hudi's meta columns and a bloom filter. Files in partitions
  * that match `full_partitions`, or all files in mode full, are rewritten into base files.
  *
  * A bootstrap that was killed is finished or rolled back by the next call for the same table.
  *
  * Errors: those of [[BootstrapRequest]], [[BootstrapSource]], [[BootstrapPlan]] and
  * [[BootstrapRun]]. All but HUDILITE_COMMIT_STATE_UNKNOWN are raised before the table has a
  * commit.
  * Source: seed 002; issue 7; hudi-format §8. */
final class Bootstrap(catalog: TableCatalog) extends Procedure {
  import Procedure._

  override def name: String = "bootstrap"
  override def purpose: String =
    "Makes a table of Parquet files that are there, without writing them anew."
  override def example: String =
    "CALL bootstrap(table => 'db.t', source => '/data/events', key => 'id')"

  override def parameters: Array[ProcedureParameter] = Array(
    needed("table", "name of the new table"),
    needed("source", "folder with Parquet files, or a Parquet table of the catalog"),
    needed("key", "key columns, with commas between them"),
    optional("partitioned_by", "partition columns; those of the source where nothing is said"),
    optional("partitions", "filter on partition columns: what is taken at all"),
    optional("full_partitions", "filter on partition columns: what is written anew"),
    optional("location", "folder of the new table; it is then an external one"),
    optional("dry_run", "whether to look at the files alone", BooleanType, "false"),
    optional("mode", "metadata, or full: whether all files are written anew", value = "'metadata'"),
    optional("buckets", "in mode full: buckets of each partition", IntegerType),
    optional("parallelism", "most tasks at a time; those of the session otherwise", IntegerType),
    optional("skip_corrupt", "whether to leave out files that cannot be read", BooleanType, "false")
  )

  override def call(input: InternalRow): JavaIterator[Scan] = {
    val session = SparkSession.active
    val request = BootstrapRequest.of(session, new Arguments(catalog, name, input))
    val run = new BootstrapRun(session, request)
    if (request.isDryRun) Result.of(BootstrapReport.files, run.look())
    else Result.of(BootstrapReport.summary, Seq(run.run().row))
  }
}
