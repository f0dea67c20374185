package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, StringType, StructType}

import hudilite.service.Savepoints
import hudilite.spark.meta.MetadataRows

/** Procedure `CALL delete_savepoint(table => 'db.t', instant => '20261121...')`. Deletes a
  * savepoint, so that the cleaner may delete its files. Calling it again has no effect.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for an instant that is neither a
  * savepoint nor a commit of the table.
  * Source: hudi-format §3.11. */
final class DeleteSavepoint(catalog: TableCatalog) extends Procedure {

  override def name: String = "delete_savepoint"
  override def purpose: String = "Deletes a savepoint, so that a clean may delete its files."
  override def example: String =
    "CALL delete_savepoint(table => 'db.t', instant => '20261121093000000')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("instant", "instant of the savepoint, as show_timeline shows it"),
    Procedure.optional("instant_time", "the same, as stock Hudi names it")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val table = arguments.writableTable(0, "table")
    val savepoints = new Savepoints(table.timeline)
    val saved = savepoints.instants()
    val fix =
      if (saved.isEmpty) "The table has no savepoint."
      else s"Its savepoints are ${saved.mkString(", ")}."
    val instant = arguments.oneOf(1, "instant", 2, "instant_time")
      .getOrElse(throw arguments.invalid("instant", "NULL", fix))
    if (!saved.contains(instant) && !table.snapshot.instants.contains(instant))
      throw arguments.invalid("instant", instant, fix)
    val row = MetadataRows.row(instant, table.log.alone(savepoints.delete(instant)))
    Result.of(DeleteSavepoint.schema, Seq(row))
  }
}

object DeleteSavepoint {
  private val schema: StructType = new StructType()
    .add("instant", StringType, nullable = false)
    .add("deleted", BooleanType, nullable = false)
}
