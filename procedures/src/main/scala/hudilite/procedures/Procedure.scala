package hudilite.procedures

import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.types.{DataType, StringType, StructType}

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
