package hudilite.spark.plan

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.internal.SQLConf

/** Format of the table that a CREATE or REPLACE TABLE declares. */
private[spark] object NewTableFormat {

  /** Name of Spark's own catalog. */
  val sessionCatalog = "spark_catalog"

  /** Marker of a catalog of hudilite tables. */
  trait OwnCatalog

  /** Whether it is a hudilite table: by USING, or without it by `spark.sql.sources.default`. */
  def isOurs(create: V2CreateTablePlan): Boolean = {
    def byDefault =
      HudiProvider.isOurs(SQLConf.get.defaultDataSourceName) && takesDefault(create.name)
    specOf(create).flatMap(_.provider).fold(byDefault)(HudiProvider.isOurs)
  }

  /** Returns what is told about the table besides its columns. */
  def specOf(create: V2CreateTablePlan): Option[TableSpecBase] = create match {
    case plan: CreateTable => Some(plan.tableSpec)
    case plan: CreateTableAsSelect => Some(plan.tableSpec)
    case plan: ReplaceTable => Some(plan.tableSpec)
    case plan: ReplaceTableAsSelect => Some(plan.tableSpec)
    case _ => None
  }

  /** Whether a table without USING has the format of the session: other catalogs have their own. */
  def takesDefault(name: LogicalPlan): Boolean = {
    val catalogs = SparkSession.active.sessionState.catalogManager
    def takes(catalog: CatalogPlugin) =
      catalog.isInstanceOf[OwnCatalog] || catalog.name == sessionCatalog
    name match {
      case UnresolvedIdentifier(parts, _)
          if parts.size > 1 && catalogs.isCatalogRegistered(parts.head) =>
        takes(catalogs.catalog(parts.head))
      case ResolvedIdentifier(catalog, _) => takes(catalog)
      case _ => takes(catalogs.currentCatalog)
    }
  }
}
