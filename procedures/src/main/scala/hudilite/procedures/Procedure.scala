package hudilite.procedures

import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.types.{DataType, StringType, StructType}

/** A procedure with one list of parameters, whatever the types of the arguments; each call looks
  * at the table anew. */
abstract class Procedure extends UnboundProcedure with BoundProcedure {

  /** What it does, in a sentence. */
  def purpose: String

  /** A call of it. */
  def example: String

  override def description: String = s"$purpose Example: $example"
  override def bind(inputType: StructType): BoundProcedure = this
  override def isDeterministic: Boolean = false
}

object Procedure {

  /** The parameter that names the table. */
  def table: ProcedureParameter = needed("table", "name of the table")

  /** A parameter that each call gives. */
  def needed(name: String, about: String, of: DataType = StringType): ProcedureParameter =
    ProcedureParameter.in(name, of).comment(about).build()

  /** One that may be left out.
    * @param value as SQL writes it */
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
