package hudilite.procedures

import hudilite.spark.ProcedureProvider
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure

/** Procedure names and what they run. */
final class Procedures extends ProcedureProvider {
  override def procedures: Map[String, UnboundProcedure] =
    Seq[UnboundProcedure](new ShowCommits).map(p => p.name -> p).toMap
}
