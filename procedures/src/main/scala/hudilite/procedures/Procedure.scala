package hudilite.procedures

import org.apache.spark.sql.connector.catalog.procedures.{BoundProcedure, UnboundProcedure}
import org.apache.spark.sql.types.StructType

/** A procedure with one list of parameters, whatever the types of the arguments; each call looks
  * at the table anew. */
abstract class Procedure extends UnboundProcedure with BoundProcedure {
  override def bind(inputType: StructType): BoundProcedure = this
  override def isDeterministic: Boolean = false
}
