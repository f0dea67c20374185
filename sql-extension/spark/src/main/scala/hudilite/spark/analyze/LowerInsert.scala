package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.plan.{HudiliteWrite, InsertClause, MergeSpec, UpdateClause}

/** INSERT INTO a hudilite table: a write whose only clause inserts and whose match is an error,
  * unless the session says what else to do.
  *
  * Runs once Spark has put casts, defaults and NOT NULL checks around the values. */
object LowerInsert extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case append @ AppendData(HudiliteTarget(target), query, options, _, _, _)
        if append.resolved =>
      target.checkWritable(options)
      lower(target, query, InsertDuplicates.of(SQLConf.get))
  }

  /** @param query one column for each of the table's, in its order */
  private[analyze] def lower(
      target: HudiliteTarget,
      query: LogicalPlan,
      duplicates: InsertDuplicates = InsertDuplicates.Error
  ): HudiliteWrite = {
    val source = leaveNullKeys(target, query)
    val value = target.columns.map(_.exprId).zip(source.output).toMap
    val order =
      if (duplicates == InsertDuplicates.Error) SourceOrder.none
      else SourceOrder.of(target, source.output)
    val spec = MergeSpec(
      operation = "INSERT",
      keyColumns = target.keyColumns,
      sourceKey = target.keyColumns.map(column => value(column.exprId)),
      sourcePartition = Some(target.partitionColumns.map(column => value(column.exprId))),
      samePartition = None,
      matched =
        if (duplicates == InsertDuplicates.Update)
          Seq(order.guarded(UpdateClause(None, source.output)))
        else Nil,
      notMatched = Seq(InsertClause(None, source.output)),
      notMatchedBySource = Nil,
      movesPartition = false,
      matchIsError = duplicates == InsertDuplicates.Error,
      ordering = order.ofSource
    )
    HudiliteWrite(target.relation, source, spec, Nil)
  }

  private def leaveNullKeys(target: HudiliteTarget, query: LogicalPlan): LogicalPlan =
    query match {
      case Project(values, child) =>
        Project(
          values.zip(target.columns).map {
            case (alias: Alias, column) if target.isKey(column) =>
              val value = HudiliteTarget.withoutNullCheck(alias.child)
              Alias(value, alias.name)(exprId = alias.exprId, qualifier = alias.qualifier)
            case (value: NamedExpression, _) => value
          },
          child
        )
      case other => other
    }
}
