package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.{LongType, StringType}

import hudilite.spark.catalog.{HudiliteTable, HudiliteTableCatalog, TimeTravel}
import hudilite.timeline.Instant

/** Rule for TIMESTAMP AS OF '20260131120000000', also without quotes: the digits of an instant, as stock
  * Hudi reads them in the zone of the table's timeline. Runs before Spark reads the text as a timestamp,
  * and fails: no timestamp has 14 or 17 digits. Other tables than hudilite's stay as they are. */
object TimeTravelToInstant extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case travel @ RelationTimeTravel(
          relation: UnresolvedRelation,
          Some(Literal(text, StringType | LongType)),
          None
        ) if Instant.isTime(text.toString) && isOurs(relation.multipartIdentifier) =>
      travel.copy(timestamp = None, version = Some(TimeTravel.untilInstant(text.toString)))
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
