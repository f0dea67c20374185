package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.CreateTableLikeCommand

/** Extractor of CREATE TABLE LIKE. */
private[analyze] object LikeStatements {
  def unapply(plan: LogicalPlan): Option[LikeStatement] = plan match {
    case like: CreateTableLikeCommand => Some(LikeStatement.of(like))
    case _ => None
  }
}
