package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  AttributeSet,
  EqualNullSafe,
  Expression,
  Literal
}
import org.apache.spark.sql.types.BooleanType

import hudilite.format.MergeOrder
import hudilite.spark.plan.{Clause, DeleteClause, InsertClause, MergeSpec, UpdateClause}

/** Deletions by Hudi's column `_hoodie_is_deleted`: a row that a write gives the value true is deleted
  * if the table has it, and not inserted if the table does not.
  * Source: merge-on-read §4.5. */
private[analyze] object DeleteMarker {

  /** Returns what a write does, with clauses for marked rows. A table without the column keeps its
    * clauses.
    * @param target     columns of the table
    * @param partitions names of its partition columns */
  def in(spec: MergeSpec, target: Seq[Attribute], partitions: Seq[String]): MergeSpec = {
    val placing = target.filter(column =>
      partitions.contains(column.name) || spec.keyColumns.exists(_.semanticEquals(column))
    )
    def withMarked(clauses: Seq[Clause]) =
      clauses.flatMap(clause => ofMarked(clause, target, AttributeSet(placing)).toSeq :+ clause)
    spec.copy(
      matched = withMarked(spec.matched),
      notMatched = withMarked(spec.notMatched),
      notMatchedBySource = withMarked(spec.notMatchedBySource)
    )
  }

  /** Returns the condition that a row is marked; None if the table does not have the column.
    * @param values new values of the row, in the order of `target` */
  def isMarked(values: Seq[Expression], target: Seq[Attribute]): Option[Expression] =
    target.zip(values).collectFirst {
      case (column, value)
          if column.name == MergeOrder.isDeleted && column.dataType == BooleanType =>
        EqualNullSafe(HudiliteTarget.withoutNullCheck(value), Literal.TrueLiteral)
    }

  /** Returns the clause that fires instead of another one for a marked row. */
  private def ofMarked(
      clause: Clause,
      target: Seq[Attribute],
      placing: AttributeSet
  ): Option[Clause] = clause match {
    case update: UpdateClause =>
      isMarked(update.values, target).map(marked => DeleteClause(both(update, marked)))
    case insert: InsertClause =>
      isMarked(insert.values, target).map(marked =>
        InsertClause(both(insert, marked), placed(insert, target, placing), insert.moves,
          drops = true)
      )
    case _: DeleteClause => None
  }

  /** Returns the values that tell the key and the partition of a row, and null for the other columns. */
  private def placed(
      insert: InsertClause,
      target: Seq[Attribute],
      placing: AttributeSet
  ): Seq[Expression] = target.zip(insert.values).map {
    case (column, value) if placing.contains(column) =>
      value.transform { case AssertNotNull(child, _) => child }
    case (column, _) => Literal(null, column.dataType)
  }

  /** Conjunction of a clause's condition with another one, which is evaluated only if the first is true. */
  private def both(clause: Clause, marked: Expression): Option[Expression] =
    Some(clause.condition.fold(marked)(And(_, marked)))
}
