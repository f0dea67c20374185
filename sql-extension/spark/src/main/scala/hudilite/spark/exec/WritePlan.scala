package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.{DynamicPruningSubquery, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.format.IndexKind
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.MergeSpec
import hudilite.spark.read.HudiliteScan
import hudilite.view.TableSnapshot

/** A statement's write as it is planned, at first and once more for each retry (driver side).
  *
  * A retry runs the source again: nothing of the attempt before is used.
  *
  * @param query the source, optimized */
final case class WritePlan(
    session: SparkSession,
    relation: DataSourceV2Relation,
    table: HudiliteTable,
    spec: MergeSpec,
    query: LogicalPlan
) {
  val job: WriteJob =
    new WriteJob(session, table, spec, relation.output, LookedInto.scans(query, table))

  /** Everything below the commit. */
  def merge: LogicalPlan = {
    val tagged = TagRows(job, Tag.of(spec, table.config), query)
    val located = table.config.index match {
      case IndexKind.Bloom => LocateRows(job, tagged)
      case _: IndexKind.Bucket => tagged
    }
    MergeFileGroups(job, MergeResult.attributes, located)
  }

  /** Whether the statement may be planned anew after a conflict: what is replaced as a whole was
    * chosen by what the analysis saw, and so were the columns. */
  def isRepeatable: Boolean = spec.replaces.isEmpty && !job.hasOtherColumns

  /** The same on the table's latest snapshot, also where the source reads the table. */
  def anew: WritePlan = {
    val latest = TableSnapshot.load(table.storage, table.basePath, table.config)
    copy(query = query.transformUpWithSubqueries {
      case HudiliteScan.Of(read, scan)
          if scan.snapshot.basePath == table.basePath && !scan.snapshot.isPast =>
        read.copy(scan = scan.on(latest))
    }.transformAllExpressionsWithSubqueries { case _: DynamicPruningSubquery =>
      Literal.TrueLiteral // the optimizer puts it in anew; an analysed plan may not hold it
    })
  }

  /** Runs a retry's merge; adaptive execution plans it as it did the first. */
  def run(): MergeResult =
    MergeResult.of(session.sessionState.executePlan(merge).executedPlan.executeCollect().toSeq)
}
