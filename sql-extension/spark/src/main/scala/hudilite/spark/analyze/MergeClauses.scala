package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.AssignmentUtils
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Expression, If, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{
  Assignment,
  DeleteAction,
  InsertAction,
  MergeAction,
  UpdateAction
}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{ArrayType, MapType, StructType}

import hudilite.spark.plan._

/** Converts Spark's WHEN clauses to clauses of a HudiliteWrite, which give every column of the
  * table.
  *
  * @param on parts of ON; None for a statement without ON */
private[analyze] final class MergeClauses(target: HudiliteTarget, on: Option[MergeCondition]) {
  private val generated = new GeneratedValues(target)

  /** Converts an UPDATE or DELETE clause.
    * @param isMatched whether the clause is for a target row with a source row
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for an UPDATE that would change a row's key, where a key
    * is unique over all partitions; Spark's for values that do not fit their columns. */
  def clause(action: MergeAction, isMatched: Boolean): Clause = action match {
    case UpdateAction(condition, assignments, fromStar) =>
      val written = assignments.map(bare)
      val aligned = UnsafeCast.explained(target, written) {
        AssignmentUtils.alignUpdateAssignments(
          target.columns,
          written,
          fromStar,
          coerceNestedTypes = false
        )
      }
      val update = UpdateClause(condition, withKeyKept(generated.in(values(aligned), written)))
      if (target.seeksEverywhere) checkKeyKept(update, isMatched)
      update
    case DeleteAction(condition) => DeleteClause(condition)
    case other => throw target.unsupported(other.sql, "Write UPDATE, DELETE or INSERT.")
  }

  /** Converts an INSERT clause.
    * Errors: Spark's for values that do not fit their columns. */
  def insert(action: MergeAction): InsertClause = action match {
    case InsertAction(condition, assignments) =>
      val written = assignments.map(bare)
      val aligned = UnsafeCast.explained(target, written) {
        AssignmentUtils.alignInsertAssignments(target.columns, written)
      }
      InsertClause(condition, generated.in(values(aligned), written))
    case other => throw target.unsupported(other.sql, "Write INSERT.")
  }

  /** Whether an INSERT clause gives its row the key that ON looks up. In a table without key columns, the
    * row gets a key of its own. */
  def insertsKeySought(clause: InsertClause): Boolean =
    target.hasKeyColumns && keys(clause.values).forall { case (column, value) =>
      on.exists(_.isPinned(column, value))
    }

  /** Whether a clause may write a row to another partition than the one where it was looked up. */
  def moves(clause: Clause, isMatched: Boolean): Boolean = clause match {
    case UpdateClause(_, values) =>
      partitions(values).exists { case (column, value) => !stays(column, value, isMatched) }
    case InsertClause(_, values, _, _) =>
      on.exists(_.sourcePartition.nonEmpty) &&
      partitions(values).exists { case (column, value) => !on.exists(_.isPinned(column, value)) }
    case _: DeleteClause => false
  }

  /** Whether a clause may give a row another key. */
  def changesKey(clause: Clause, isMatched: Boolean): Boolean = clause match {
    case update: UpdateClause => changedKeys(update, isMatched).nonEmpty
    case _ => false
  }

  private def bare(assignment: Assignment): Assignment =
    assignment.copy(value = MergeClauses.bare(assignment.value))

  private def values(aligned: Seq[Assignment]): Seq[Expression] =
    aligned.zip(target.columns).map { case (assignment, column) =>
      val value = unnamed(assignment.value)
      if (target.isKey(column)) HudiliteTarget.withoutNullCheck(value) else value
    }

  private def unnamed(value: Expression): Expression = value match {
    case Alias(child, _) => unnamed(child)
    case other => other
  }

  private def checkKeyKept(update: UpdateClause, isMatched: Boolean): Unit =
    changedKeys(update, isMatched).foreach { case (column, value) =>
      throw target.unsupported(
        s"UPDATE SET ${column.name} = ${value.sql}",
        "A key cannot change in a table whose keys are unique over all partitions. " +
          s"Remove ${column.name}, or delete the row and insert a new one."
      )
    }

  private def changedKeys(update: UpdateClause, isMatched: Boolean): Seq[(Attribute, Expression)] =
    keys(update.values).filterNot { case (column, value) => stays(column, value, isMatched) }

  /** Adds to the value of a struct a check that the key columns in it stay as they are: only a task can
    * compare these. */
  private def withKeyKept(values: Seq[Expression]): Seq[Expression] =
    if (target.hasKeyColumns) values
    else
      target.columns.zip(values).map { case (column, value) =>
        target.keyFieldsIn(column).foldLeft(value) { case (checked, field) =>
          if (MergeCondition.sameValue(column, value)) checked
          else {
            def text(of: Expression) =
              NestedField.of(field)(name => Option.when(name == column.name)(of)).map(
                KeyText.expression
              ).getOrElse(of)
            val isKept = KeyText.isKept(text(column), text(value), field, target.table.name)
            If(isKept, checked, Literal(null, column.dataType))
          }
        }
      }

  private def keys(values: Seq[Expression]): Seq[(Attribute, Expression)] =
    target.columns.zip(values).filter { case (column, _) => target.isKey(column) }

  private def partitions(values: Seq[Expression]): Seq[(Attribute, Expression)] =
    target.columns.zip(values).filter { case (column, _) =>
      target.partitionColumns.exists(_.exprId == column.exprId)
    }

  /** Whether the target row has this value in `column` already. */
  private def stays(column: Attribute, value: Expression, isMatched: Boolean): Boolean =
    MergeCondition.sameValue(column, value) || isMatched && on.exists(_.isKept(column, value))
}

private[analyze] object MergeClauses {

  /** Removes the unchecked casts, NOT NULL checks and checks of the lengths of texts in structs that
    * Spark has added to a value. AssignmentUtils can then check whether the value fits its column, and
    * cast it itself. */
  def bare(value: Expression): Expression = value match {
    case cast: Cast if isOfSpark(cast) => bare(cast.child)
    case AssertNotNull(child, _) => bare(child)
    case other => other.dataType match {
        case _: StructType | _: ArrayType | _: MapType =>
          other.collectFirst {
            case cast: Cast
                if isOfSpark(cast) && DataTypeUtils.sameType(cast.dataType, other.dataType) =>
              bare(cast.child)
          }.getOrElse(other)
        case _ => other
      }
  }

  private def isOfSpark(cast: Cast) = cast.getTagValue(Cast.BY_TABLE_INSERTION).isDefined
}
