package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.{DynamicPruningSubquery, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.commit.Transaction
import hudilite.format.{BucketCounts, IndexKind}
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.locate.{Tag, TargetPruning}
import hudilite.spark.merge.MergeResult
import hudilite.spark.plan.MergeSpec
import hudilite.spark.read.HudiliteScan
import hudilite.timeline.CommitMetadata
import hudilite.view.TableSnapshot

/** Plan of a statement's write, made at first and again for each retry (driver side).
  *
  * A retry runs the source again: it uses nothing of the attempt before.
  *
  * @param query  the source, optimized
  * @param counts numbers of buckets of the table, by which rows are tagged */
final case class WritePlan(
    session: SparkSession,
    relation: DataSourceV2Relation,
    table: HudiliteTable,
    spec: MergeSpec,
    query: LogicalPlan,
    counts: Option[BucketCounts]
) {
  val statement: WriteStatement =
    new WriteStatement(session, table, spec, relation.output, counts,
      TargetPruning.scans(query, table))

  /** Returns the logical plan of everything below the commit. */
  def merge: LogicalPlan = {
    val tagged = TagRows(statement, Tag.of(spec, table.config, counts), query)
    val located = table.config.index match {
      case IndexKind.Bloom => LocateRows(statement, tagged)
      case _: IndexKind.Bucket => tagged
    }
    MergeFileGroups(statement, MergeResult.attributes, located)
  }

  /** Whether the statement may be planned again after a conflict. The analysis chose which
    * partitions are replaced, which columns there are and of which type the table is, so a replacement,
    * changed columns or another type rule it out. */
  def isRepeatable: Boolean = spec.replaces.isEmpty && !statement.hasOtherColumns &&
    table.timeline.config().isMergeOnRead == table.config.isMergeOnRead

  /** Returns this write on the table's latest snapshot. Scans of the table in the source read it,
    * too, except those of an earlier state. Spark asks them again by which buckets they are
    * partitioned, because a rescale may have changed the number of buckets. */
  def onLatest: WritePlan = {
    val latest = TableSnapshot.load(table.timeline, table.config)
    val rows = query.transformUpWithSubqueries {
      case HudiliteScan.Of(read, scan)
          if scan.snapshot.basePath == table.basePath && !scan.snapshot.isPast =>
        read.copy(scan = scan.on(latest), keyGroupedPartitioning = None)
    }.transformAllExpressionsWithSubqueries { case _: DynamicPruningSubquery =>
      Literal.TrueLiteral // the optimizer adds it again; an analyzed plan may not contain it
    }
    copy(query = rows, counts = latest.counts)
  }

  /** Returns the physical plan of everything below the commit, with adaptive execution like that of
    * the statement's first plan. */
  def physical: SparkPlan = session.sessionState.executePlan(merge).executedPlan

  /** Writes the files under a transaction that another write begins and commits.
    * @param operation operation of the commit
    * @return metadata of the new files for that commit */
  def join(transaction: Transaction, operation: String): CommitMetadata =
    RunningWrite.join(statement, transaction, operation)(physical)
}
