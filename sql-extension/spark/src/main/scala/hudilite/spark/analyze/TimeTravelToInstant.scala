package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier

import hudilite.spark.catalog.{HudiliteTable, HudiliteTableCatalog, TimeTravel}
import hudilite.spark.plan.UnresolvedInstant

/** Rule for TIMESTAMP AS OF '20260131120000000', also without quotes: the digits of an instant, as
  * stock Hudi reads them in the zone of the table's timeline. For other tables than hudilite's they
  * are the text or number that the user wrote. */
object TimeTravelToInstant extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case travel @ RelationTimeTravel(
          relation: UnresolvedRelation,
          Some(UnresolvedInstant(digits)),
          None
        ) =>
      if (isOurs(relation.multipartIdentifier)) {
        val instant = TimeTravel.untilInstant(String.valueOf(digits.value))
        travel.copy(timestamp = None, version = Some(instant))
      } else travel.copy(timestamp = Some(digits))
  }

  private def isOurs(name: Seq[String]): Boolean = {
    val catalogs = SparkSession.active.sessionState.catalogManager
    val (catalog, parts) =
      if (name.size > 1 && catalogs.isCatalogRegistered(name.head))
        (catalogs.catalog(name.head), name.tail)
      else (catalogs.currentCatalog, name)
    val namespace = if (parts.size > 1) parts.init.toArray else catalogs.currentNamespace
    catalog match {
      case own: HudiliteTableCatalog if namespace.length == 1 =>
        val ident = Identifier.of(namespace, parts.last)
        own.tableExists(ident) && own.loadTable(ident).isInstanceOf[HudiliteTable]
      case _ => false
    }
  }
}
