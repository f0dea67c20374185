package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.AttributeSet

import hudilite.format.{MergeOrder, TableConfig}
import hudilite.spark.plan.{Clause, InsertClause, MergeSpec, UpdateClause}

/** Decision whether a write to a merge-on-read table may add log files without reading the table: what it
  * does with a source row must not depend on the table's row (driver side). Whether a clause for matched
  * rows does the same as one for others, each task finds out row by row.
  * Source: merge-on-read §8.3. */
private[exec] object BlindWrites {

  /** @param target          columns of the table
    * @param spansPartitions whether a key is looked up in several partitions */
  def mayBe(
      spec: MergeSpec,
      config: TableConfig,
      target: AttributeSet,
      spansPartitions: Boolean
  ): Boolean = {
    val clauses = spec.matched ++ spec.notMatched
    config.isMergeOnRead && config.hasBuckets && !spansPartitions && config.dateFields.isEmpty &&
    spec.replaces.isEmpty && spec.residual.isEmpty && readersCompare(spec, config) &&
    spec.joined.isEmpty && spec.notMatchedBySource.isEmpty &&
    !spec.matchIsError && !spec.movesPartition && !spec.hasStoredKey &&
    writesEither(clauses) && clauses.forall(isOfSource(_, target))
  }

  /** Whether readers of log files compare rows as the statement does: by the ordering fields, or not at
    * all. */
  private def readersCompare(spec: MergeSpec, config: TableConfig): Boolean =
    spec.newer.nonEmpty == (MergeOrder.of(config) == MergeOrder.EventTime)

  /** Whether there are clauses for both kinds of rows that write a row. */
  private def writesEither(clauses: Seq[Clause]): Boolean =
    clauses.exists(_.isInstanceOf[UpdateClause]) && clauses.exists(_.isInstanceOf[InsertClause])

  private def isOfSource(clause: Clause, target: AttributeSet): Boolean =
    clause.children.forall(e => e.deterministic && e.references.intersect(target).isEmpty)
}
