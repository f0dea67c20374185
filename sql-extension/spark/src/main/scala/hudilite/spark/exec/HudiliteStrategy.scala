package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{SparkSession, Strategy}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.{SparkSession => AnySession}

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.HudiliteWrite

/** Plans a HudiliteWrite as TagRowsExec, an exchange, MergeFileGroupsExec and CommitWriteExec. */
final class HudiliteStrategy(session: AnySession) extends Strategy {
  private val classic = session.asInstanceOf[SparkSession]

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case HudiliteWrite(relation: DataSourceV2Relation, query, spec, output) =>
      relation.table match {
        case table: HudiliteTable =>
          val scans = LookedInto.scans(query, table)
          val job = new WriteJob(classic, table, spec, relation.output, scans)
          val tagged = TagRows(job, Tag.of(spec, table.config), query)
          val merged = planLater(MergeFileGroups(job, FileResult.attributes, tagged))
          Seq(CommitWriteExec(job, output, () => refresh(relation), merged))
        case _ => Nil
      }
    case MergeFileGroups(job, output, tagged) => Seq(merge(job, output, tagged))
    case rows @ TagRows(job, tag, query) =>
      Seq(TagRowsExec(tag, Tag.output, exchangesSource(rows), job, planLater(query)))
    case _ => Nil
  }

  private def merge(job: WriteJob, output: Seq[Attribute], tagged: LogicalPlan): SparkPlan = {
    val rows = planLater(tagged)
    val gathers = tagged.isInstanceOf[TagRows] && isSmall(tagged)
    val child =
      if (gathers) GatherSourceExec(2, MergeFileGroupsExec.order(tagged.output), rows) else rows
    // Adaptive execution puts the stage of an exchange in the place of the rows below it.
    val exchanges = tagged match {
      case tag: TagRows => !gathers && !exchangesSource(tag)
      case _ => true
    }
    MergeFileGroupsExec(job, exchanges, output, child)
  }

  private def isSmall(source: LogicalPlan): Boolean =
    source.maxRows.exists(_ <= HudiliteStrategy.gatheredRows)

  /** Groups that are visited without a source row join the source's rows before the exchange. */
  private def exchangesSource(rows: TagRows): Boolean = !isSmall(rows) && !rows.job.visitsGroups

  private def refresh(relation: DataSourceV2Relation): Unit =
    classic.sharedState.cacheManager.recacheByPlan(classic, relation)
}

object HudiliteStrategy {

  /** A source that has provably no more rows is grouped on the driver. */
  val gatheredRows = 10000L
}
