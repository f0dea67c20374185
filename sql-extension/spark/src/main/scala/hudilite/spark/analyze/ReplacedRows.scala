package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  EqualNullSafe,
  ExprId,
  Expression,
  Literal,
  Not
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import hudilite.spark.plan.{Clause, DeleteClause, HudiliteWrite, InsertClause, ReplacedCondition}

/** Lowers REPLACE WHERE with a condition that does not select whole partitions: one commit deletes the
  * rows for which it is true and inserts the new rows. No new row matches an old one, so an old row
  * with its key either is deleted or makes the key a duplicate. */
private[analyze] object ReplacedRows {

  /** @param query one column for each column of the table, in table order
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for a condition that tasks cannot evaluate,
    * DATATYPE_MISMATCH for one that is not boolean. */
  def lower(target: HudiliteTarget, query: LogicalPlan, condition: Expression): HudiliteWrite = {
    MergeExpressions.check(target, Seq(condition), Nil)
    if (!MergeExpressions.isPlain(target, condition))
      throw target.unsupported(
        s"REPLACE WHERE ${condition.sql}",
        "The condition may use the table's own columns, but no sub-query, no Python function and no " +
          "value that changes with each call."
      )
    val relation = target.relation.newInstance()
    val fresh = target.copy(relation = relation, named = relation)
    val own = target.columns.map(_.exprId).zip(relation.output).toMap
    val deleted = over(condition, own)
    val stays = Not(EqualNullSafe(deleted, Literal.TrueLiteral))
    val write = LowerInsert
      .lower(fresh, query, InsertDuplicates.Error, Some(stays), combines = false)
    write.copy(spec =
      write.spec.copy(
        operation = "UPSERT",
        matched = Nil,
        matchIsError = false,
        residual = Some(Literal.FalseLiteral),
        notMatched = write.spec.notMatched.map(checked(fresh, _, deleted, condition.sql)),
        notMatchedBySource = Seq(DeleteClause(Some(deleted)))
      )
    )
  }

  /** Returns a clause that fails for a row that does not fulfill the condition. */
  private def checked(
      target: HudiliteTarget,
      clause: Clause,
      condition: Expression,
      text: String
  ): Clause = clause match {
    case insert: InsertClause =>
      val value = target.columns.zip(insert.values).map { case (column, value) =>
        column.exprId -> value
      }.toMap
      val key =
        if (target.makesKeys) Literal("")
        else target.recordKeyOf(column => value(column.exprId))
      val holds = over(condition, value)
      Clause.when(ReplacedCondition.required(holds, key, text, target.table.name), insert)
    case other => other
  }

  private def over(condition: Expression, values: Map[ExprId, Expression]): Expression =
    condition.transform {
      case column: AttributeReference if values.contains(column.exprId) => values(column.exprId)
    }
}
