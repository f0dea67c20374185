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
      spec -> PartitionFolders.ofSpec(target, spec)
    }
    if (!mayLack) checkThere(target, choices)
    Replacement.Folders(choices.map(_._2))
  }

  /** Errors: PARTITIONS_NOT_FOUND. */
  private def checkThere(
      target: HudiliteTarget,
      choices: Seq[(Map[String, String], Map[Int, String])]
  ): Unit = {
    val (snapshot, config) = (target.table.snapshot, target.table.config)
    val mayBe = PartitionPruning.ofFolders(config, choices.map(_._2))
    val found = snapshot.partitions(mayBe, mayBe)
    choices.foreach { case (spec, levels) =>
      val all = found.iterator.filter(PartitionPath.has(_, levels, config))
      if (!all.exists(snapshot.groups(_).nonEmpty)) throw absent(target, spec)
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
