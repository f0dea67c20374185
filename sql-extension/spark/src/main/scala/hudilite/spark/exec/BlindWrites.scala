package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.AttributeSet

import hudilite.format.{MergeOrder, TableConfig}
import hudilite.spark.plan.{Clause, InsertClause, MergeSpec, UpdateClause}

/** Decision whether a write to a merge-on-read table may add log files without reading the table: what it
  * does with a source row must not depend on the table's row (driver side). Whether a clause for matched
  * rows does the same as one for others, each task finds out row by row.
  * Source: merge-on-read §8.3. */
private[exec] object BlindWrites {

  /** Returns why the table must be read, None if it need not be.
    * @param target          columns of the table
    * @param spansPartitions whether a key is looked up in several partitions */
  def obstacle(
      spec: MergeSpec,
      config: TableConfig,
      target: AttributeSet,
      spansPartitions: Boolean
  ): Option[String] = {
    val clauses = spec.matched ++ spec.notMatched
    Seq(
      !config.isMergeOnRead -> "the table is copy-on-write",
      !config.hasBuckets -> "the table has no buckets",
      spec.replaces.nonEmpty -> "whole partitions are replaced",
      spec.joined.nonEmpty -> s"the source is joined with the table: ${spec.joined.mkString}",
      spec.notMatchedBySource.nonEmpty -> "rows without a source row may change",
      spec.matchIsError -> "a key that the table has is an error",
      spansPartitions -> "keys are looked up in several partitions",
      config.dateFields.nonEmpty -> "the folders of partitions are dates",
      spec.residual.nonEmpty -> "ON compares more than the key",
      !readersCompare(spec, config) ->
        "readers of log files do not compare rows as the statement does",
      spec.movesPartition -> "a row may move to another partition",
      spec.hasStoredKey -> "rows are found by their stored keys",
      !writesEither(clauses) -> "only matched rows, or only others, are written",
      !clauses.forall(isOfSource(_, target)) -> "a clause depends on the row of the table"
    ).collectFirst { case (true, why) => why }
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
