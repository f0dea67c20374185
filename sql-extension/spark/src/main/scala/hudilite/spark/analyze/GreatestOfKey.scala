package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}

/** Puts the greatest of some values beside each row. Null is the smallest.
  *
  * @param of   what the greatest is sought of
  * @param by   rows that are alike in these are held against each other */
private[analyze] final class GreatestOfKey(of: Expression, by: Seq[Attribute], rows: LogicalPlan) {
  private val whole = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, UnboundedFollowing)
  private val found = Alias(
    WindowExpression(Max(of).toAggregateExpression(), WindowSpecDefinition(by, Nil, whole)),
    "greatest"
  )()

  val value: Attribute = found.toAttribute

  val plan: LogicalPlan = Window(Seq(found), by, Nil, rows, None)
}
