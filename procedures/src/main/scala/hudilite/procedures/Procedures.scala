package hudilite.procedures

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure

import hudilite.spark.catalog.ProcedureProvider

/** Provider of all procedures of this module to CALL. */
final class Procedures extends ProcedureProvider {
  override def procedures(catalog: TableCatalog): Map[String, UnboundProcedure] =
    all(catalog).map(procedure => procedure.name -> procedure).toMap

  override def others(catalog: TableCatalog): Map[String, UnboundProcedure] =
    OtherNames.all(catalog).map(procedure => procedure.name -> procedure).toMap

  private def all(catalog: TableCatalog): Seq[Procedure] =
    own(catalog) ++ StockLists.all(catalog) ++ StockServices.all(catalog) :+
      StockBootstrap.of(catalog)

  private def own(catalog: TableCatalog): Seq[Procedure] = Seq(
    new AdviseBuckets(catalog),
    new Archive(catalog),
    new ArchiveCommits(catalog),
    new Bootstrap(catalog),
    new CheckStorage(catalog),
    new Clean(catalog),
    new Cluster(catalog),
    new Compact(catalog),
    new DeleteSavepoint(catalog),
    new Diff(catalog),
    new DowngradeTable(catalog),
    new Help(catalog, all(catalog)),
    new HiveSync(catalog),
    new Materialize(catalog),
    new MergePreview(catalog),
    new MetadataTableStatus(catalog),
    new RebuildIndex(catalog),
    new RemoveOrphans(catalog),
    new RepairBucket(catalog),
    new Rescale(catalog),
    new RestoreTable(catalog),
    new RollbackWrite(catalog),
    new SavePoint(catalog),
    new SetTableType(catalog),
    new ShowBootstrapMapping(catalog),
    new ShowBuckets(catalog),
    new ShowFiles(catalog),
    new ShowIndex(catalog),
    new ShowTimeline(catalog),
    new UpgradeTable(catalog),
    new Verify(catalog)
  )
}
