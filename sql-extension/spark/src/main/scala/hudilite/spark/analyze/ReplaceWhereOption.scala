package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic
}

/** Extractor of an overwrite of a DataFrame with Delta's option `replaceWhere`: returns the same
  * overwrite with the condition of the option. */
private[analyze] object ReplaceWhereOption {
  private val name = "replaceWhere"

  /** Errors: PARSE_SYNTAX_ERROR for a text that is no condition. */
  def unapply(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case WriteTo(write: OverwriteByExpression, _) if write.deleteExpr == Literal.TrueLiteral =>
      conditionOf(write.writeOptions).map { condition =>
        write.copy(deleteExpr = condition, writeOptions = others(write.writeOptions))
      }
    case WriteTo(write: OverwritePartitionsDynamic, _) =>
      conditionOf(write.writeOptions).map(onPartitions(write, _))
    case _ => None
  }

  private def onPartitions(write: OverwritePartitionsDynamic, condition: Expression) = {
    val options = others(write.writeOptions)
    if (write.isByName)
      OverwriteByExpression.byName(write.table, write.query, condition, options)
    else OverwriteByExpression.byPosition(write.table, write.query, condition, options)
  }

  private def conditionOf(options: Map[String, String]): Option[Expression] =
    options.collectFirst { case (key, text) if isName(key) => text }
      .map(CatalystSqlParser.parseExpression)

  private def others(options: Map[String, String]): Map[String, String] =
    options.filterNot { case (key, _) => isName(key) }

  private def isName(key: String): Boolean = key.equalsIgnoreCase(name)
}
