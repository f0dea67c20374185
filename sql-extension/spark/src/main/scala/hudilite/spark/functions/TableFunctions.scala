package hudilite.spark.functions

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hudilite.EarlierFunctions

import hudilite.spark.analyze.{ChangesFunction, TableFunctionCall}
import hudilite.spark.catalog.{HudiliteTableCatalog, SessionTables, TablePath}

/** Table functions of hudilite, and those that stock Hudi and Delta have for their tables, under the
  * same names. */
object TableFunctions {
  private type Builder = Seq[Expression] => LogicalPlan

  /** Injects the functions. Extensions of Hudi and Delta have functions of the same names. If such an
    * extension stands before hudilite in `spark.sql.extensions`, its function gets the calls for all
    * tables that are not hudilite's. If it stands behind, its function replaces the one of hudilite. */
  def inject(extensions: SparkSessionExtensions): Unit = {
    extensions.injectTableFunction(ChangesFunction.description)
    val earlier = new EarlierFunctions(extensions)
    (StockFunctions.all ++ TableChanges.functions).foreach { case (name, usage, of) =>
      val ours: Builder = arguments => of(TableFunctionCall(name, usage, arguments))
      val function = earlier.named(name).fold(ours)(byTable(ours, _))
      val info = new ExpressionInfo(getClass.getName.stripSuffix("$"), name)
      extensions.injectTableFunction((FunctionIdentifier(name), info, function))
    }
  }

  private def byTable(ours: Builder, theirs: Builder)(arguments: Seq[Expression]): LogicalPlan = {
    val named = arguments.headOption.filter(table => table.resolved && table.foldable)
      .flatMap(table => Option(table.eval())).map(_.toString)
    if (named.exists(isOurs)) ours(arguments) else theirs(arguments)
  }

  /** Whether Spark's session catalog has a hudilite table of a name. */
  private def isOurs(named: String): Boolean = {
    val session = SparkSession.active
    val manager = session.sessionState.catalogManager
    def isSession(catalog: String) = catalog == "spark_catalog" ||
      manager.isCatalogRegistered(catalog) &&
      manager.catalog(catalog).isInstanceOf[HudiliteTableCatalog]
    val parts = session.sessionState.sqlParser
      .parseMultipartIdentifier(TableFunctionCall.inFrom(named))
    val table = parts match {
      case Seq(table) if isSession(manager.currentCatalog.name) => Some(TableIdentifier(table))
      case Seq(database, table) if isSession(manager.currentCatalog.name) =>
        Some(TableIdentifier(table, Some(database)))
      case Seq(catalog, database, table) if isSession(catalog) =>
        Some(TableIdentifier(table, Some(database)))
      case _ => None
    }
    parts.headOption.exists(_.equalsIgnoreCase(SessionTables.provider)) && named.contains("`") ||
    TableFunctionCall.isPath(named) && TablePath.find(session, named).nonEmpty ||
    table.exists(new SessionTables(session).find(_).nonEmpty)
  }
}
