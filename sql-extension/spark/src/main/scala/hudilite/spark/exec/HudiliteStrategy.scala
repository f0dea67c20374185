package hudilite.spark.exec

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.HudiliteWrite
import org.apache.spark.sql.{SparkSession => AnySession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{SparkSession, Strategy}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Plans a HudiliteWrite as TagRowsExec, an exchange, MergeFileGroupsExec and CommitWriteExec. */
final class HudiliteStrategy(session: AnySession) extends Strategy {
  private val classic = session.asInstanceOf[SparkSession]

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case HudiliteWrite(relation: DataSourceV2Relation, query, spec, output) =>
      relation.table match {
        case table: HudiliteTable =>
          val job = new WriteJob(classic, table, spec, relation.output)
          val tag = Tag.of(spec, table.config, table.name)
          val tagged = TagRowsExec(tag, Tag.output, job, planLater(query))
          Seq(CommitWriteExec(job, output, () => refresh(relation), merge(job, query, tagged)))
        case _ => Nil
      }
    case _ => Nil
  }

  private def merge(job: WriteJob, query: LogicalPlan, tagged: TagRowsExec): SparkPlan = {
    val small = query.maxRows.exists(_ <= HudiliteStrategy.gatheredRows)
    val child =
      if (small) GatherSourceExec(2, MergeFileGroupsExec.order(tagged), tagged) else tagged
    MergeFileGroupsExec(job, exchanged = !small, FileResult.attributes, child)
  }

  private def refresh(relation: DataSourceV2Relation): Unit =
    classic.sharedState.cacheManager.recacheByPlan(classic, relation)
}

object HudiliteStrategy {

  /** A source that has provably no more rows is grouped on the driver. */
  val gatheredRows = 10000L
}
