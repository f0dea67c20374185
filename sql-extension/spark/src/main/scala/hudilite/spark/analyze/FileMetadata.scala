package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.{AnalysisContext, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.error.AnalysisErrors

/** Rule that says what to type instead of `_metadata`, a column that only Spark's own file formats
  * have. Runs after all that may resolve the name, on queries that read hudilite tables alone.
  *
  * Errors: HUDILITE_UNSUPPORTED_CLAUSE. */
object FileMetadata extends Rule[LogicalPlan] {
  private val column = "_metadata"

  override def apply(plan: LogicalPlan): LogicalPlan = {
    // The name of a subquery may be a column of the query around it.
    if (AnalysisContext.get.outerPlan.isEmpty)
      plan.foreachUp {
        case node if node.childrenResolved && node.expressions.exists(_.exists(isColumn)) =>
          val tables = node.collectLeaves().map {
            case HudiliteTarget(target) => Some(target.table)
            case _ => None
          }
          if (tables.nonEmpty && tables.forall(_.nonEmpty))
            tables.flatten.headOption.foreach(table => throw refused(table))
        case _ =>
      }
    plan
  }

  private def isColumn(expression: Expression): Boolean = expression match {
    case UnresolvedAttribute(parts) => parts.exists(_.equalsIgnoreCase(column))
    case _ => false
  }

  private def refused(table: HudiliteTable) = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> column,
    "table" -> table.name,
    "fix" ->
      (if (table.config.hasMetaFields)
         "The meta column _hoodie_file_name names the file that has a row. " +
           s"Type: SELECT DISTINCT _hoodie_file_name FROM ${table.name}"
       else s"Type: SELECT * FROM hudi_filesystem_view('${table.name}')")
  )
}
