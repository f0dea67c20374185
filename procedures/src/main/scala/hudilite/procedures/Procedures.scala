package hudilite.procedures

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure

import hudilite.spark.catalog.ProcedureProvider

/** Procedure names and what they run. */
final class Procedures extends ProcedureProvider {
  override def procedures(catalog: TableCatalog): Map[String, UnboundProcedure] =
    Seq(
      new Bootstrap(catalog),
      new Materialize(catalog),
      new RebuildIndex(catalog),
      new RepairBucket(catalog),
      new RollbackWrite(catalog),
      new ShowBootstrapMapping(catalog),
      new ShowIndex(catalog),
      new ShowTimeline(catalog),
      new Verify(catalog)
    ).map(p => p.name -> p).toMap
}
