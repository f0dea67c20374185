package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.execution.command.{CreateTableLikeCommand, ResetCommand, SetCommand}

import hudilite.spark.catalog.{HudiliteTableCatalog, SessionParts}
import hudilite.spark.plan.HudiProvider

/** Rule that gives tables with USING hudi the provider hudilite, if the session says that it means
  * that. Runs before Spark looks the provider up.
  *
  * Errors: HUDILITE_PROVIDER_UNSET, HUDILITE_PROVIDER_TAKEN. */
object NameProvider extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _: SetCommand | _: ResetCommand => plan // they may mend the setting
    case _ =>
      HudiProvider.checkAlone()
      plan.resolveOperators {
        case create: CreateTable =>
          create.copy(tableSpec = named(create.name, create.tableSpec))
        case create: CreateTableAsSelect =>
          create.copy(tableSpec = named(create.name, create.tableSpec))
        case replace: ReplaceTable =>
          replace.copy(tableSpec = named(replace.name, replace.tableSpec))
        case replace: ReplaceTableAsSelect =>
          replace.copy(tableSpec = named(replace.name, replace.tableSpec))
        case like: CreateTableLikeCommand =>
          like.copy(provider = like.provider.map(HudiProvider.named))
      }
  }

  private def named(name: LogicalPlan, spec: TableSpecBase): TableSpecBase = spec match {
    case declared: UnresolvedTableSpec =>
      val ofSession = Some(conf.defaultDataSourceName).filter(HudiProvider.isHudi)
        .filter(_ => declared.serde.isEmpty && isInOwnCatalog(name))
      declared.copy(provider = declared.provider.orElse(ofSession).map(HudiProvider.named))
    case other => other
  }

  /** Whether a table without USING gets the format of the session: other catalogs have their own. */
  private def isInOwnCatalog(name: LogicalPlan): Boolean = {
    val catalogs = SparkSession.active.sessionState.catalogManager
    def isOwn(catalog: CatalogPlugin) =
      catalog.isInstanceOf[HudiliteTableCatalog] || catalog.name == SessionParts.sessionCatalog
    name match {
      case UnresolvedIdentifier(parts, _)
          if parts.size > 1 && catalogs.isCatalogRegistered(parts.head) =>
        isOwn(catalogs.catalog(parts.head))
      case ResolvedIdentifier(catalog, _) => isOwn(catalog)
      case _ => isOwn(catalogs.currentCatalog)
    }
  }
}
