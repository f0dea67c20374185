package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.hadoop.security.UserGroupInformation
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, LongType, StringType, StructType}

import hudilite.service.Savepoints
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.meta.MetadataRows

/** Procedure that keeps the files of a snapshot from every cleaner, until `delete_savepoint`:
  * `CALL savepoint(table => 'db.t' [, instant => '20261121...'] [, comment => 'before the move'])`.
  * Calling it again has no effect.
  *
  * Errors: those of [[Arguments]]; HUDILITE_UNSUPPORTED_STATEMENT for a table without a commit if
  * no instant is given; HUDILITE_VERSION_NOT_FOUND, HUDILITE_SNAPSHOT_EXPIRED; those of a scan.
  * Source: hudi-format §3.11. */
final class SavePoint(catalog: TableCatalog) extends Procedure {

  override def name: String = "savepoint"
  override def purpose: String = "Protects the files of a version of a table from being cleaned."
  override def example: String = "CALL savepoint(table => 'db.t', comment => 'before the move')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("instant", "instant of the version; by default the latest"),
    Procedure.optional("comment", "comment that is stored in the savepoint", value = "''")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val table = arguments.writableTable(0, "table")
    val comment = arguments.textOrNone(2).getOrElse("")
    val done =
      SavePoint.create(arguments, table, arguments.textOrNone(1), comment, SavePoint.user)
    val row = MetadataRows.row(
      done.instant,
      done.slices.map(_.places.size).sum,
      done.slices.map(_.length).sum,
      done.isNew
    )
    Result.of(SavePoint.schema, Seq(row))
  }
}

object SavePoint {

  /** Returns the user of the session. */
  private[procedures] def user: String =
    UserGroupInformation.getCurrentUser.getShortUserName

  /** Creates a savepoint.
    * @param asked instant of the state; None: the latest
    * @param by    who requests it
    * Errors: as above. */
  private[procedures] def create(
      arguments: Arguments,
      table: HudiliteTable,
      asked: Option[String],
      comment: String,
      by: String
  ): Savepoints.Saved = {
    val instant = asked.orElse(table.snapshot.lastVersion).getOrElse(
      throw arguments.refused(table.name, "It has no commit yet: write to the table first.")
    )
    table.log.alone(
      new Savepoints(table.timeline)
        .create(table.config, instant, by, comment, System.currentTimeMillis())
    )
  }

  private val schema: StructType = new StructType()
    .add("instant", StringType, nullable = false)
    .add("files", IntegerType, nullable = false)
    .add("bytes", LongType, nullable = false)
    .add("created", BooleanType, nullable = false)
}
