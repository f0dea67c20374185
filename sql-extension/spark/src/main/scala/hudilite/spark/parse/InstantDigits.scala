package hudilite.spark.parse

import org.apache.spark.sql.catalyst.analysis.RelationTimeTravel
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, PlanExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias, UnresolvedWith}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.trees.TreePattern.{RELATION_TIME_TRAVEL, UNRESOLVED_WITH}
import org.apache.spark.sql.types.{LongType, StringType}

import hudilite.spark.plan.UnresolvedInstant
import hudilite.timeline.Instant

/** Hides the digits of an instant after TIMESTAMP AS OF from Spark's rules, which would read them as
  * a timestamp: a rule of `analyze` knows the table and what they mean for it. */
private[parse] object InstantDigits {

  /** Returns a statement with hidden digits in all its queries. */
  def hidden(plan: LogicalPlan): LogicalPlan =
    plan.transformDownWithSubqueriesAndPruning(
      _.containsAnyPattern(RELATION_TIME_TRAVEL, UNRESOLVED_WITH)
    ) {
      case travel @ RelationTimeTravel(_, Some(digits @ Literal(text, StringType | LongType)), None)
          if Instant.isTime(String.valueOf(text)) =>
        travel.copy(timestamp = Some(UnresolvedInstant(digits)))
      case queries: UnresolvedWith =>
        queries.copy(cteRelations =
          queries.cteRelations.map(named => named.copy(_2 = hidden(named._2)))
        )
    }

  def hidden(expression: Expression): Expression = expression.transform {
    case query: PlanExpression[LogicalPlan @unchecked] => query.withNewPlan(hidden(query.plan))
  }

  private def hidden(query: SubqueryAlias): SubqueryAlias =
    CurrentOrigin.withOrigin(query.origin)(query.copy(child = hidden(query.child)))
}
