package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{
  And,
  EqualNullSafe,
  EqualTo,
  Expression,
  Literal,
  Not,
  Or
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

import hudilite.spark.plan.{HudiliteWrite, Replacement}

/** Rule that lowers INSERT OVERWRITE, REPLACE WHERE and their DataFrame forms to an insert that
  * first hides the file groups of whole partitions. */
object LowerOverwrite extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case WriteTo(overwrite: OverwriteByExpression, target) if overwrite.resolved =>
      val replaced = chosen(target, overwrite.deleteExpr)
      lower(target, overwrite.query, overwrite.writeOptions, replaced)
    case WriteTo(overwrite: OverwritePartitionsDynamic, target) if overwrite.resolved =>
      val isPartitioned = target.partitionColumns.nonEmpty
      lower(target, overwrite.query, overwrite.writeOptions,
        if (isPartitioned) Replacement.Written else Replacement.all)
  }

  private def lower(
      target: HudiliteTarget,
      query: LogicalPlan,
      options: Map[String, String],
      replaced: Replacement
  ): HudiliteWrite = {
    target.checkWritable(options)
    val write =
      LowerInsert.lower(target, query, InsertDuplicates.Error, bars(target, replaced))
    val operation =
      if (replaced == Replacement.all) "INSERT_OVERWRITE_TABLE" else "INSERT_OVERWRITE"
    write.copy(spec =
      write.spec.copy(
        operation = operation,
        matched = Nil,
        matchIsError = true,
        replaces = Some(replaced)
      )
    )
  }

  /** Predicate of the target rows that are not replaced and so block inserts of their keys. With
    * dynamic overwrite it is true for every row, as the replaced partitions are not known yet. */
  private def bars(target: HudiliteTarget, replaced: Replacement): Option[Expression] =
    replaced match {
      case Replacement.Written => Some(Literal.TrueLiteral)
      case Replacement.Where(condition) => Some(Not(EqualNullSafe(condition, Literal.TrueLiteral)))
      case Replacement.Folders(choices) =>
        val named = choices.map(
          _.map { case (level, folder) =>
            EqualTo(target.folder(level), Literal(folder))
          }.reduceOption[Expression](And(_, _))
        )
        if (named.contains(None)) None
        else named.flatten.reduceOption[Expression](Or(_, _)).map(Not(_))
    }

  private def chosen(target: HudiliteTarget, condition: Expression): Replacement =
    condition match {
      case Literal.TrueLiteral => Replacement.all
      case _ =>
        PartitionFolders
          .ofCondition(target, condition)
          .map(levels => Replacement.Folders(Seq(levels)))
          .orElse(PartitionChoice.of(target, condition))
          .getOrElse {
            throw target.unsupported(
              s"REPLACE WHERE ${condition.sql}",
              "Use only partition columns in the condition, so that it selects whole partitions. " +
                "Otherwise use DELETE, then INSERT INTO."
            )
          }
    }
}
