package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  Expression,
  Predicate,
  UnsafeProjection,
  UnsafeRow
}

import hudilite.spark.plan.{Clause, DeleteClause, InsertClause, UpdateClause}

/** Compiled WHEN clauses of one kind, one instance for each task (task side).
  *
  * @param clauses   in statement order: the first whose condition is true fires
  * @param input     attributes of the rows that the clauses read
  * @param partition index of the task's partition, for non-deterministic expressions
  * @param updated   numbers of the columns that an UPDATE clause returns, in the order of the table
  */
final class CompiledClauses(
    clauses: Seq[Clause],
    input: Seq[Attribute],
    partition: Int,
    updated: Seq[Int] = Nil
) {
  private val conditions: Array[Option[BasePredicate]] =
    clauses.map(_.condition.map { c =>
      val predicate = Predicate.create(c, input)
      predicate.initialize(partition)
      predicate
    }).toArray

  private val deletes: Array[Boolean] = clauses.map(_.isInstanceOf[DeleteClause]).toArray

  private val moves: Array[Boolean] = clauses.map {
    case clause: InsertClause => clause.moves
    case clause: DeleteClause => clause.moves
    case _: UpdateClause => false
  }.toArray

  /** Lazy, because a pass that only looks for matches does not read all columns. */
  private lazy val projections: Array[Option[UnsafeProjection]] = clauses.map {
    case UpdateClause(_, assigned) => Some(projection(updated.map(assigned)))
    case InsertClause(_, assigned, _) => Some(projection(assigned))
    case _: DeleteClause => None
  }.toArray

  def isEmpty: Boolean = conditions.isEmpty

  /** Returns the position of the clause that fires for `row`, or -1. */
  def firing(row: InternalRow): Int = {
    var i = 0
    while (i < conditions.length && !conditions(i).forall(_.eval(row))) i += 1
    if (i == conditions.length) -1 else i
  }

  def isDelete(clause: Int): Boolean = deletes(clause)

  /** Whether the row that a clause deletes or inserts moves from one partition to another. */
  def isMove(clause: Int): Boolean = moves(clause)

  /** Returns the new values of `row` under an UPDATE or INSERT clause, in a buffer that the next
    * call reuses. */
  def result(clause: Int, row: InternalRow): UnsafeRow =
    projections(clause)
      .getOrElse(throw new IllegalStateException("a DELETE clause has no values"))
      .apply(row)

  private def projection(assigned: Seq[Expression]): UnsafeProjection = {
    val compiled = UnsafeProjection.create(assigned, input)
    compiled.initialize(partition)
    compiled
  }
}
