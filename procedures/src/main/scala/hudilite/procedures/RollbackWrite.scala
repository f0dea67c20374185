package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Procedure `CALL rollback(table => 'db.t', instant => '20261121...')`. Rolls back a write that
  * was started and never committed, whichever writer started it and however old it is. Calling it
  * again has no effect.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for an instant that is committed, that
  * is not a write, that is a clustering plan of stock Hudi, or that the table does not have;
  * HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE.
  * Source: hudi-format §3.10. */
final class RollbackWrite(catalog: TableCatalog) extends Procedure {

  override def name: String = "rollback"
  override def purpose: String = "Rolls back a write that was started and never committed."
  override def example: String = "CALL rollback(table => 'db.t', instant => '20261121093000000')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.needed("instant", "instant of the write, 14 or 17 digits, as show_timeline shows it")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val table = arguments.writableTable(0, "table")
    val instant = arguments.text(1, "instant", RollbackWrite.fix)
    table.log.rollback.rollBack(instant) match {
      case Left(why) =>
        val other = if (why.isOfOtherInstant) s" ${RollbackWrite.fix}" else ""
        throw arguments.invalid("instant", instant, why.reason + other)
      case Right(done) =>
        val row = InternalRow(
          UTF8String.fromString(done.instant),
          UTF8String.fromString(done.rollback),
          done.deleted.size
        )
        Result.of(RollbackWrite.schema, Seq(row))
    }
  }
}

object RollbackWrite {
  private val fix = "Write an instant that CALL show_timeline shows as REQUESTED or INFLIGHT."

  private val schema: StructType = new StructType()
    .add("instant", StringType, nullable = false)
    .add("rollback_instant", StringType, nullable = false)
    .add("files_deleted", IntegerType, nullable = false)
}
