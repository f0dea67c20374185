package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Expression,
  GreaterThan,
  InSet,
  LessThan,
  Literal,
  Or
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields
import hudilite.spark.read.IncrementalTable
import hudilite.view.Increment

/** Rule that plans reads with `hoodie.datasource.query.type = incremental`: a scan of the base
  * files that the commits touched, with a filter on rows that have the time of one of them, or of an
  * archived commit of the range. */
object ResolveIncremental extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case relation: DataSourceV2Relation =>
      relation.table match {
        case table: IncrementalTable =>
          val read = relation.copy(table = table.files)
          read.output.find(_.name == MetaFields.CommitTime).fold[LogicalPlan](read) { time =>
            Filter(condition(time, table.increment), read)
          }
        case _ => relation
      }
  }

  private def condition(time: Expression, increment: Increment): Expression = {
    val times = increment.instants.map(UTF8String.fromString(_): Any).toSet
    val active = if (times.isEmpty) Literal.FalseLiteral else InSet(time, times)
    increment.archived.fold[Expression](active) { case (after, before) =>
      Or(active, And(GreaterThan(time, Literal(after)), LessThan(time, Literal(before))))
    }
  }
}
