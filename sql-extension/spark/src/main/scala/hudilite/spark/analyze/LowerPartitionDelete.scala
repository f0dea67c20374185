package hudilite.spark.analyze

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.{
  PartitionSpec,
  ResolvedTable,
  UnresolvedPartitionSpec
}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.format.PartitionPath
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.{HudiliteWrite, MergeSpec, Replacement}
import hudilite.spark.read.PartitionPruning

/** Rule that lowers statements which empty whole partitions: TRUNCATE, DROP PARTITION, and a DELETE
  * whose predicate depends on partition columns only. They hide file groups and write no files. */
object LowerPartitionDelete extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case delete @ DeleteFromTable(HudiliteTarget(target), condition) if delete.resolved =>
      PartitionChoice
        .of(target, condition)
        .map(lower(target, _, HudiliteWrite.counts.take(1)))
        .getOrElse(delete)
    case TruncateTable(TruncatedTable(target)) => lower(target, Replacement.all, Nil)
    case TruncatePartition(TruncatedTable(target), spec) =>
      lower(target, named(target, Seq(spec), mayLack = false), Nil)
    case DropPartitions(TruncatedTable(target), specs, ifExists, purge) =>
      if (purge)
        throw target.unsupported("PURGE",
          "Remove PURGE: CALL clean deletes the files when they are no longer needed.")
      lower(target, named(target, specs, ifExists), Nil)
  }

  private object TruncatedTable {
    def unapply(plan: LogicalPlan): Option[HudiliteTarget] = plan match {
      case ResolvedTable(catalog, identifier, table: HudiliteTable, _) =>
        HudiliteTarget.unapply(
          DataSourceV2Relation.create(table, Some(catalog), Some(identifier))
        )
      case _ => None
    }
  }

  private def lower(
      target: HudiliteTarget,
      replaced: Replacement,
      output: Seq[Attribute]
  ): HudiliteWrite = {
    target.checkWritable(Map.empty)
    val spec = MergeSpec(
      operation = "DELETE_PARTITION",
      keyColumns = target.keyColumns,
      sourceKey = target.keyColumns.map(column => Literal(null, column.dataType)),
      sourcePartition =
        Some(target.partitionColumns.map(column => Literal(null, column.dataType))),
      samePartition = None,
      matched = Nil,
      notMatched = Nil,
      notMatchedBySource = Nil,
      movesPartition = false,
      matchIsError = true,
      replaces = Some(replaced)
    )
    HudiliteWrite(target.relation, LocalRelation(), spec, output)
  }

  private def named(
      target: HudiliteTarget,
      specs: Seq[PartitionSpec],
      mayLack: Boolean
  ): Replacement = {
    val choices = specs.collect { case UnresolvedPartitionSpec(spec, _) =>
      val levels = PartitionFolders.ofSpec(target, spec)
      if (!mayLack && !isThere(target, levels)) throw absent(target, spec)
      levels
    }
    Replacement.Folders(choices)
  }

  private def isThere(target: HudiliteTarget, levels: Map[Int, String]): Boolean = {
    val snapshot = target.table.snapshot
    val mayBe = PartitionPruning.ofFolders(target.table.config, Seq(levels))
    snapshot.partitions(mayBe, mayBe).exists { partition =>
      PartitionPath.has(partition, levels, target.table.config) && snapshot.groups(
        partition
      ).nonEmpty
    }
  }

  private def absent(target: HudiliteTarget, spec: Map[String, String]): AnalysisException =
    AnalysisErrors.spark(
      "PARTITIONS_NOT_FOUND",
      "partitionList" ->
        spec.map { case (column, value) => s"`$column` = $value" }.mkString("PARTITION (", ", ",
          ")"),
      "tableName" -> target.table.name
    )
}
