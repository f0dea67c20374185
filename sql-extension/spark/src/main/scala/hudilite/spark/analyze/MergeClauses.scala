package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.AssignmentUtils
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{
  Assignment,
  DeleteAction,
  InsertAction,
  MergeAction,
  MergeIntoTable,
  UpdateAction
}

import hudilite.spark.plan._

/** Turns WHEN clauses into whole rows of the table, under what ON pins. */
private[analyze] final class MergeClauses(target: HudiliteTarget, on: MergeCondition) {

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE where a clause would give a row another key; Spark's for
    * values that do not fit their columns. */
  def spec(merge: MergeIntoTable): MergeSpec = {
    val matched = merge.matchedActions.map(clause(_, isMatched = true))
    val notMatched = merge.notMatchedActions.map(clause(_, isMatched = true))
    val bySource = merge.notMatchedBySourceActions.map(clause(_, isMatched = false))
    MergeSpec(
      operation = "UPSERT",
      keyColumns = target.keyColumns,
      sourceKey = on.sourceKey,
      sourcePartition = on.sourcePartition,
      samePartition = on.samePartition,
      matched = matched,
      notMatched = notMatched,
      notMatchedBySource = bySource,
      movesPartition = matched.exists(moves(_, isMatched = true)) ||
        notMatched.exists(moves(_, isMatched = true)) ||
        bySource.exists(moves(_, isMatched = false)),
      matchIsError = false
    )
  }

  private def clause(action: MergeAction, isMatched: Boolean): Clause = action match {
    case UpdateAction(condition, assignments, fromStar) =>
      val aligned = AssignmentUtils.alignUpdateAssignments(
        target.columns,
        assignments.map(bare),
        fromStar,
        coerceNestedTypes = false
      )
      checkKeyKept(aligned, isMatched)
      UpdateClause(condition, values(aligned))
    case InsertAction(condition, assignments) =>
      val aligned = AssignmentUtils.alignInsertAssignments(target.columns, assignments.map(bare))
      checkKeyInserted(aligned)
      InsertClause(condition, values(aligned))
    case DeleteAction(condition) => DeleteClause(condition)
    case other => throw target.unsupported(other.sql, "Write UPDATE, DELETE or INSERT.")
  }

  /** Spark has put unchecked casts around the values; without them AssignmentUtils can tell which
    * values fit their columns and cast these itself. */
  private def bare(assignment: Assignment): Assignment =
    assignment.copy(value = bare(assignment.value))

  private def bare(value: Expression): Expression = value match {
    case cast: Cast if cast.getTagValue(Cast.BY_TABLE_INSERTION).isDefined => bare(cast.child)
    case AssertNotNull(child, _) => bare(child)
    case other => other
  }

  private def values(aligned: Seq[Assignment]): Seq[Expression] =
    aligned.zip(target.columns).map { case (assignment, column) =>
      val value = unnamed(assignment.value)
      if (target.isKey(column)) HudiliteTarget.withoutNullCheck(value) else value
    }

  private def unnamed(value: Expression): Expression = value match {
    case Alias(child, _) => unnamed(child)
    case other => other
  }

  private def checkKeyKept(aligned: Seq[Assignment], isMatched: Boolean): Unit =
    keys(aligned).foreach { case (column, value) =>
      if (!stays(column, value, isMatched))
        throw target.unsupported(
          s"UPDATE SET ${column.name} = ${value.sql}",
          s"A row keeps its key: leave ${column.name} out, or DELETE the row and insert another."
        )
    }

  private def checkKeyInserted(aligned: Seq[Assignment]): Unit =
    keys(aligned).foreach { case (column, value) =>
      if (!on.isPinned(column, value))
        throw target.unsupported(
          s"INSERT of ${column.name} = ${value.sql}",
          s"ON looks for ${on.pinned(column.exprId).sql}: insert that value."
        )
    }

  private def keys(aligned: Seq[Assignment]): Seq[(Attribute, Expression)] =
    target.columns.zip(values(aligned)).filter { case (column, _) => target.isKey(column) }

  private def moves(clause: Clause, isMatched: Boolean): Boolean = clause match {
    case UpdateClause(_, values) =>
      partitions(values).exists { case (column, value) => !stays(column, value, isMatched) }
    case InsertClause(_, values) =>
      on.sourcePartition.nonEmpty &&
      partitions(values).exists { case (column, value) => !on.isPinned(column, value) }
    case DeleteClause(_) => false
  }

  private def partitions(values: Seq[Expression]): Seq[(Attribute, Expression)] =
    target.columns.zip(values).filter { case (column, _) =>
      target.partitionColumns.exists(_.exprId == column.exprId)
    }

  /** Whether a row of the target has this value already. */
  private def stays(column: Attribute, value: Expression, isMatched: Boolean): Boolean =
    MergeCondition.sameValue(column, value) || isMatched && on.isPinned(column, value)
}
