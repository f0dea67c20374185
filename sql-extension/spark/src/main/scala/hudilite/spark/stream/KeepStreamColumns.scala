package hudilite.spark.stream

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation

import hudilite.spark.catalog.WrittenByPath

/** Rule that gives the columns of a `readStream` plan to its source. Spark creates the source when the
  * query starts, and takes the columns of its batches by position: those of the table may be others by
  * then. */
object KeepStreamColumns extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case relation: StreamingRelation if isOurs(relation) && !isKept(relation) =>
      val kept = relation.dataSource.copy(userSpecifiedSchema = Some(relation.schema))
      relation.copy(dataSource = kept)
  }

  private def isOurs(relation: StreamingRelation): Boolean =
    classOf[WrittenByPath].isAssignableFrom(relation.dataSource.providingClass)

  private def isKept(relation: StreamingRelation): Boolean =
    relation.dataSource.userSpecifiedSchema.contains(relation.schema)
}
