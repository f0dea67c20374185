package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.{DynamicPruningSubquery, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.format.IndexKind
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.locate.{Tag, TargetPruning}
import hudilite.spark.merge.MergeResult
import hudilite.spark.plan.MergeSpec
import hudilite.spark.read.HudiliteScan
import hudilite.view.TableSnapshot

/** Plan of a statement's write, made at first and again for each retry (driver side).
  *
  * A retry runs the source again: it uses nothing of the attempt before.
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
    new WriteJob(session, table, spec, relation.output, TargetPruning.scans(query, table))

  /** Returns the logical plan of everything below the commit. */
  def merge: LogicalPlan = {
    val tagged = TagRows(job, Tag.of(spec, table.config), query)
    val located = table.config.index match {
      case IndexKind.Bloom => LocateRows(job, tagged)
      case _: IndexKind.Bucket => tagged
    }
    MergeFileGroups(job, MergeResult.attributes, located)
  }

  /** Whether the statement may be planned again after a conflict. The analysis chose which
    * partitions are replaced and which columns there are, so a replacement or changed columns rule
    * it out. */
  def isRepeatable: Boolean = spec.replaces.isEmpty && !job.hasOtherColumns

  /** Returns this write on the table's latest snapshot. Scans of the table in the source read it,
    * too, except those of an earlier state. */
  def anew: WritePlan = {
    val latest = TableSnapshot.load(table.storage, table.basePath, table.config)
    copy(query = query.transformUpWithSubqueries {
      case HudiliteScan.Of(read, scan)
          if scan.snapshot.basePath == table.basePath && !scan.snapshot.isPast =>
        read.copy(scan = scan.on(latest))
    }.transformAllExpressionsWithSubqueries { case _: DynamicPruningSubquery =>
      Literal.TrueLiteral // the optimizer adds it again; an analyzed plan may not contain it
    })
  }

  /** Plans the merge, by adaptive execution like the statement's first run, and runs it. */
  def run(): MergeResult =
    MergeResult.of(session.sessionState.executePlan(merge).executedPlan.executeCollect().toSeq)
}
