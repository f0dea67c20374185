package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType, StructType}

import hudilite.spark.hive.{HiveRegistration, HiveTarget}
import hudilite.spark.meta.MetadataRows

/** Procedure `CALL hive_sync(table => 'db.t' [, target => 'db.t_hive'] [, dry_run => true])`.
  * Creates an external table in the Hive metastore of the session, or updates its columns,
  * properties and partitions to the latest snapshot of the table. Calling it again has no effect. A
  * merge-on-read table gets two, for its base files alone and with its log files.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for an invalid target name;
  * HUDILITE_HIVE_SYNC_FAILED; those of a scan.
  * Source: hudi-format §9.4. */
final class HiveSync(catalog: TableCatalog) extends Procedure {

  override def name: String = "hive_sync"
  override def purpose: String =
    "Registers a table and its partitions for Hive-compatible engines in Spark's Hive metastore."
  override def example: String = "CALL hive_sync(table => 'db.t', dry_run => true)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("target", "name of the entry; by default the table name with _hive"),
    Procedure.optional("dry_run", "whether to only compare", BooleanType, "false")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val isDry = arguments.flag(2, "dry_run")
    val target = arguments.textOrNone(1)
    target.filterNot(HiveTarget.isName).foreach { name =>
      throw arguments.invalid("target", name, HiveTarget.fix)
    }
    val table = arguments.table(0, "table")
    val done = HiveRegistration.run(SparkSession.active, table, target, isDry)
    val rows = done.map { entry =>
      MetadataRows.row(
        entry.target,
        entry.isNew,
        entry.columns,
        entry.properties,
        entry.added,
        entry.dropped,
        entry.commit,
        isDry
      )
    }
    Result.of(HiveSync.schema, rows)
  }
}

object HiveSync {
  private val schema: StructType = new StructType()
    .add("target", StringType, nullable = false)
    .add("created", BooleanType, nullable = false)
    .add("columns_changed", IntegerType, nullable = false)
    .add("properties_changed", IntegerType, nullable = false)
    .add("partitions_added", IntegerType, nullable = false)
    .add("partitions_dropped", IntegerType, nullable = false)
    .add("synced_commit", StringType)
    .add("dry_run", BooleanType, nullable = false)
}
