package hudilite.procedures

import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.{DataType, StringType}

/** Argument of a procedure that has the name and the arguments of stock Hudi's.
  * @param parameter the argument as Spark binds it
  * @param refusal   what to write instead, if only the default is accepted */
final private[procedures] case class StockArgument(
    parameter: ProcedureParameter,
    refusal: Option[String] = None
)

private[procedures] object StockArgument {

  /** The table, in a procedure that has no [[path]]. */
  val onlyTable: StockArgument = StockArgument(Procedure.table)

  /** The table, in a procedure that has [[path]], too. */
  val table: StockArgument =
    StockArgument(Procedure.optional("table", "name of the table"))

  /** The other way to name the table. */
  val path: StockArgument =
    StockArgument(Procedure.optional("path", "path of the table, instead of its name"))

  /** Required argument. */
  def needed(name: String, about: String): StockArgument =
    StockArgument(Procedure.needed(name, about))

  /** Optional argument.
    * @param value default, as SQL text */
  def optional(
      name: String,
      about: String,
      of: DataType = StringType,
      value: String = "NULL"
  ): StockArgument = StockArgument(Procedure.optional(name, about, of, value))

  /** Argument of stock Hudi that hudilite cannot honour: its default is accepted, another value is an
    * error.
    * @param fix what to write instead
    * @param value default, as SQL text */
  def refused(
      name: String,
      fix: String,
      of: DataType = StringType,
      value: String = "NULL"
  ): StockArgument =
    StockArgument(Procedure.optional(name, s"not supported. $fix", of, value), Some(fix))
}
