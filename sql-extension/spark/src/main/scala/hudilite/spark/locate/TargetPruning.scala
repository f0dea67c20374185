package hudilite.spark.locate

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeSet,
  Expression,
  Or,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.hudilite.FilterTranslation
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.MergeSpec
import hudilite.spark.read.{HudiliteScan, KeptPartitions, SliceSelection}
import hudilite.timeline.FileGroupRef
import hudilite.view.{FileSlice, TableSnapshot}

/** Partitions, file groups and filters that a statement has to look at, by its conditions on the
  * target's columns alone (driver side).
  *
  * @param target columns of the table
  */
final class TargetPruning(
    spec: MergeSpec,
    target: AttributeSet,
    snapshot: TableSnapshot,
    schema: StructType
) extends PredicateHelper {

  /** Conditions of the NOT MATCHED BY SOURCE clauses, joined by OR; None if there is no such clause
    * or one has no condition. */
  private val unmatched: Option[Expression] = {
    val conditions = spec.notMatchedBySource.map(_.condition)
    if (conditions.contains(None)) None else conditions.flatten.reduceOption(Or)
  }

  /** Whether no source row can match or be inserted. */
  private val hasNoSource: Boolean = spec.matched.isEmpty && spec.notMatched.isEmpty

  /** Slices whose rows the statement must check even without a source row. */
  lazy val visited: SliceSelection =
    SliceSelection.of(snapshot, schema, unmatched.toSeq)

  /** Partitions in which a row may match or must be visited. */
  def partitions: Seq[String] = chosen.kept

  private lazy val chosen = KeptPartitions.of(snapshot, schema, wanted.toSeq)

  /** Returns the number of these partitions, for EXPLAIN. */
  def text: String = {
    val (kept, all) = (partitions.size, chosen.all)
    if (kept == all) "every partition" else s"$kept of $all partitions${by(wanted)}"
  }

  /** Returns the slices visited without a source row, for EXPLAIN. */
  def visits: String = s"visits ${visited.text}${by(unmatched)}"

  /** Returns filters by which Parquet may skip rows in a pass that looks only for rows without a
    * source row. Empty if the pass spans partitions and source rows may match or be inserted. */
  def filters(spansPartitions: Boolean): Array[Filter] =
    if (spansPartitions && !hasNoSource) Array.empty
    else
      unmatched.toSeq.flatMap(splitConjunctivePredicates).flatMap(
        FilterTranslation.translate
      ).toArray

  /** Returns the columns of a condition that can rule out partitions or buckets. */
  private def by(condition: Option[Expression]): String = {
    val hashed = snapshot.config.hashFields
    val named = condition.toSeq.flatMap(_.references.map(_.name)).toSet
    val usable = (snapshot.config.partitionFields ++ hashed).distinct.filter(named)
    if (usable.isEmpty) "" else usable.mkString(" by ", ", ", "")
  }

  private def wanted: Option[Expression] = {
    val ofTarget = (spec.samePartition ++ spec.residual).toSeq
      .flatMap(splitConjunctivePredicates)
      .filter(c => c.deterministic && c.references.nonEmpty && c.references.subsetOf(target))
      .reduceOption(And)
    if (hasNoSource) unmatched
    else if (spec.notMatchedBySource.isEmpty) ofTarget
    else for (a <- unmatched; b <- ofTarget) yield Or(a, b)
  }
}

object TargetPruning {

  /** Returns the scans of the written table inside a statement's source. Scans of an earlier state
    * are left out, because it never changes. */
  def scans(source: LogicalPlan, table: HudiliteTable): Seq[HudiliteScan] =
    source.collectWithSubqueries {
      case HudiliteScan.Of(_, scan)
          if scan.snapshot.basePath == table.basePath && !scan.snapshot.isPast =>
        scan
    }

  /** Returns references to the file groups on which the rows of scans depend. */
  def fileGroups(scans: Seq[HudiliteScan]): Set[FileGroupRef] =
    scans.flatMap(_.selection.considered.map(ref)).toSet

  private def ref(slice: FileSlice): FileGroupRef =
    slice.bucket match {
      case Some(bucket) => FileGroupRef.bucket(slice.partition, bucket.number)
      case None => FileGroupRef(slice.partition, slice.fileId)
    }
}
