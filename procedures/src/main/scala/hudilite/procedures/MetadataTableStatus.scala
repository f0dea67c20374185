package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType, StructType}

import hudilite.spark.meta.MetadataRows
import hudilite.timeline.Timeline

/** Procedure `CALL metadata_table(table => 'db.t' [, action => 'status' | 'detach'])`. Returns what a
  * table says about Hudi's metadata table, whether writes of hudilite keep it, and how many blocks they
  * have added since stock Hudi last compacted it. `detach` removes the metadata table first, as a
  * write does that does not keep it.
  *
  * Errors: those of [[Arguments]]; HUDILITE_UNSUPPORTED_TABLE while stock Hudi is building an index;
  * HUDILITE_CONCURRENT_WRITE if stock Hudi has changed the version of the table meanwhile.
  * Source: table-versions §0.4, §7.5. */
final class MetadataTableStatus(catalog: TableCatalog) extends Procedure {
  import MetadataTableStatus._

  override def name: String = "metadata_table"
  override def purpose: String =
    "Shows or removes Hudi's metadata table, of which hudilite writes at most the list of files."
  override def example: String = "CALL metadata_table(table => 'db.t', action => 'detach')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional(
      "action",
      "status: show; detach: remove first, so that readers list the folders",
      value = s"'$status'"
    )
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val detaches = arguments.choice(1, "action", Seq(status, detach)) == detach
    val table =
      if (detaches) arguments.writableTable(0, "table") else arguments.table(0, "table")
    val metadata = table.metadataTable
    if (detaches) metadata.before(Timeline.named(table.timeline), isRequired = true)
    val now = metadata.status()
    val row = MetadataRows.row(
      table.config.version.code,
      now.partitions.mkString(","),
      now.inflight.mkString(","),
      now.exists,
      now.isKept,
      now.blocks
    )
    Result.of(schema, Seq(row))
  }
}

object MetadataTableStatus {
  private val status = "status"
  private val detach = "detach"

  private val schema: StructType = new StructType()
    .add("table_version", StringType, nullable = false)
    .add("partitions", StringType, nullable = false)
    .add("partitions_inflight", StringType, nullable = false)
    .add("exists", BooleanType, nullable = false)
    .add("kept", BooleanType, nullable = false)
    .add("blocks", IntegerType, nullable = false)
}
