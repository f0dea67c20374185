package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}

/** Plan that adds to each row the greatest value of an expression among the rows with equal keys.
  * Null is the smallest.
  *
  * @param of   expression whose greatest value is added
  * @param by   columns by which rows are compared: those with equal values belong together */
private[analyze] final class GreatestOfKey(of: Expression, by: Seq[Attribute], rows: LogicalPlan) {
  private val whole = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, UnboundedFollowing)
  private val found = Alias(
    WindowExpression(Max(of).toAggregateExpression(), WindowSpecDefinition(by, Nil, whole)),
    "greatest"
  )()

  val value: Attribute = found.toAttribute

  val plan: LogicalPlan = Window(Seq(found), by, Nil, rows, None)
}
