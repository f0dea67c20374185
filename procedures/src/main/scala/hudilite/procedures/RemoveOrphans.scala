package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{
  BooleanType,
  IntegerType,
  LongType,
  StringType,
  StructType,
  TimestampType
}

import hudilite.spark.meta.MetadataRows
import hudilite.verify.Orphans

/** Procedure that deletes base and log files which no commit lists and no running write may still list:
  * `CALL remove_orphans(table => 'db.t' [, older_than_hours => 72] [, dry_run => false])`.
  * It only lists them unless `dry_run` is false.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for fewer hours than a write may take;
  * HUDILITE_PATH_INVALID if a symbolic link leads out of the table; HUDILITE_CORRUPT_TIMELINE.
  * Source: faults F50, F54. */
final class RemoveOrphans(catalog: TableCatalog) extends Procedure {

  override def name: String = "remove_orphans"
  override def purpose: String =
    "Deletes base and log files of failed writers, which no commit lists."
  override def example: String = "CALL remove_orphans(table => 'db.t', dry_run => false)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional(
      "older_than_hours",
      s"hours since the last change of a file, ${RemoveOrphans.leastHours} or more",
      IntegerType,
      value = "72"
    ),
    Procedure.optional("dry_run", "whether to only list the files", BooleanType, "true")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val hours = arguments.number(1, "older_than_hours", RemoveOrphans.leastHours)
    val isDry = arguments.flag(2, "dry_run")
    val table =
      if (isDry) arguments.table(0, "table") else arguments.writableTable(0, "table")
    val before = System.currentTimeMillis() - hours * RemoveOrphans.millisPerHour
    val found = Orphans.find(table.timeline, table.config, before)
    val gone =
      if (isDry) Set.empty[String]
      else Orphans.remove(table.timeline, found).map(_.file.place).toSet
    Result.of(
      RemoveOrphans.schema,
      found.map { orphan =>
        MetadataRows.row(
          orphan.file.place,
          orphan.file.length,
          orphan.file.modifiedMillis * RemoveOrphans.microsPerMilli,
          orphan.reason,
          gone(orphan.file.place)
        )
      }
    )
  }
}

object RemoveOrphans {
  private val leastHours = 1
  private val millisPerHour = 3600000L
  private val microsPerMilli = 1000L

  private val schema: StructType = new StructType()
    .add("path", StringType, nullable = false)
    .add("bytes", LongType, nullable = false)
    .add("modified_time", TimestampType, nullable = false)
    .add("reason", StringType, nullable = false)
    .add("deleted", BooleanType, nullable = false)
}
