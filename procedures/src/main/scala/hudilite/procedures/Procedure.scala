package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{DataType, StringType, StructType}

import hudilite.io.StorageFault

/** Procedure with one parameter list, whatever the types of the arguments. It is not deterministic:
  * each call loads the current state of the table. */
abstract class Procedure extends UnboundProcedure with BoundProcedure {

  /** One sentence that says what the procedure does. */
  def purpose: String

  /** Text of an example call. */
  def example: String

  override def description: String = s"$purpose Example: $example"
  override def bind(inputType: StructType): BoundProcedure = this
  override def isDeterministic: Boolean = false

  /** Runs the procedure. A fault of the storage ends as HUDILITE_STORAGE_FAILED. */
  final override def call(input: InternalRow): JavaIterator[Scan] =
    StorageFault.explained(run(input))

  /** Runs the procedure, and returns its rows.
    * @param input arguments in the order of the parameters */
  protected def run(input: InternalRow): JavaIterator[Scan]
}

object Procedure {

  /** Required parameter `table`. */
  def table: ProcedureParameter = needed("table", "name of the table")

  /** Required parameter. */
  def needed(name: String, about: String, of: DataType = StringType): ProcedureParameter =
    ProcedureParameter.in(name, of).comment(about).build()

  /** Optional parameter.
    * @param value default, as SQL text */
  def optional(
      name: String,
      about: String,
      of: DataType = StringType,
      value: String = "NULL"
  ): ProcedureParameter = ProcedureParameter
    .in(name, of)
    .defaultValue(if (value == "NULL") s"CAST(NULL AS ${of.sql})" else value)
    .comment(about)
    .build()
}
