package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  Expression,
  JoinedRow,
  Predicate,
  UnsafeProjection,
  UnsafeRow
}

import hudilite.spark.plan.{Clause, DeleteClause, InsertClause, UpdateClause}

/** WHEN clause, compiled for one task (task side).
  *
  * @param condition None if the clause always fires */
sealed abstract class CompiledClause(condition: Option[BasePredicate]) {

  final def fires(row: InternalRow): Boolean = condition.forall(_.eval(row))
}

/** Clause that changes an old row of the table. */
sealed abstract class OldRowClause(condition: Option[BasePredicate])
    extends CompiledClause(condition)

/** UPDATE of an old row.
  * @param projection made at the first update, because a pass that only looks for matches does not
  *                   read all columns; None if the source row contains the new values */
final class CompiledUpdate(
    condition: Option[BasePredicate],
    projection: Option[() => UnsafeProjection]
) extends OldRowClause(condition) {
  private lazy val project = projection.map(make => make())

  /** Returns the new values of the columns that UPDATE clauses change, in a buffer that the next
    * call reuses, or the source row that contains them. */
  def values(row: InternalRow): UnsafeRow = project match {
    case Some(values) => values(row)
    case None => CompiledUpdate.sourceOf(row)
  }
}

private object CompiledUpdate {

  /** Returns the source row that is joined with an old one. */
  private def sourceOf(row: InternalRow): UnsafeRow = row match {
    case pair: JoinedRow => pair.getRight match {
        case source: UnsafeRow => source
        case _ => throw new IllegalStateException("INTERNAL: a source row of another kind")
      }
    case _ => throw new IllegalStateException("INTERNAL: an UPDATE without a source row")
  }
}

/** DELETE of an old row.
  * @param isMove whether the row gets another key or goes to another partition */
final class CompiledDelete(condition: Option[BasePredicate], val isMove: Boolean)
    extends OldRowClause(condition)

/** INSERT of a source row.
  * @param projection made at the first insert
  * @param isMove     whether the row had another key or comes from another partition
  * @param drops      whether the row is marked as deleted, and not inserted */
final class CompiledInsert(
    condition: Option[BasePredicate],
    projection: () => UnsafeProjection,
    val isMove: Boolean,
    val drops: Boolean
) extends CompiledClause(condition) {
  private lazy val project = projection()

  /** Returns the values of the new row, in a buffer that the next call reuses. */
  def values(row: InternalRow): UnsafeRow = project(row)
}

/** Compiled WHEN clauses of one kind, one instance for each task (task side).
  *
  * @param clauses in statement order: the first whose condition is true fires */
final class CompiledClauses[C <: CompiledClause] private (clauses: Seq[C]) {
  private val some: Array[Option[C]] = clauses.map(Option(_)).toArray

  def isEmpty: Boolean = some.isEmpty

  /** Returns the clause that fires for `row`. */
  def firing(row: InternalRow): Option[C] = {
    var i = 0
    while (i < some.length && !some(i).get.fires(row)) i += 1
    if (i == some.length) None else some(i)
  }
}

object CompiledClauses {

  /** Compiles the clauses of a kind that changes old rows.
    * @param input     attributes of the rows that the clauses read
    * @param partition index of the task's partition, for non-deterministic expressions
    * @param updated   numbers of the columns that an UPDATE clause returns, in the order of the
    *                  table
    * @param takes     whether it returns the source row instead */
  def ofOldRows(
      clauses: Seq[Clause],
      input: Seq[Attribute],
      partition: Int,
      updated: Seq[Int],
      takes: Boolean = false
  ): CompiledClauses[OldRowClause] = new CompiledClauses(clauses.map {
    case UpdateClause(condition, assigned) =>
      new CompiledUpdate(
        condition.map(predicate(_, input, partition)),
        Option.unless(takes)(() => projection(updated.map(assigned), input, partition))
      )
    case DeleteClause(condition, moves) =>
      new CompiledDelete(condition.map(predicate(_, input, partition)), moves)
    case _: InsertClause => throw new IllegalStateException("INTERNAL: an INSERT of an old row")
  })

  /** Compiles the clauses that insert source rows; parameters as of [[ofOldRows]]. */
  def ofSourceRows(
      clauses: Seq[Clause],
      input: Seq[Attribute],
      partition: Int
  ): CompiledClauses[CompiledInsert] = new CompiledClauses(clauses.map {
    case InsertClause(condition, assigned, moves, drops) =>
      new CompiledInsert(
        condition.map(predicate(_, input, partition)),
        () => projection(assigned, input, partition),
        moves,
        drops
      )
    case _: UpdateClause | _: DeleteClause =>
      throw new IllegalStateException("INTERNAL: no INSERT of a source row")
  })

  /** Compiles a condition. */
  def predicate(condition: Expression, input: Seq[Attribute], partition: Int): BasePredicate = {
    val compiled = Predicate.create(condition, input)
    compiled.initialize(partition)
    compiled
  }

  private def projection(values: Seq[Expression], input: Seq[Attribute], partition: Int) = {
    val compiled = UnsafeProjection.create(values, input)
    compiled.initialize(partition)
    compiled
  }
}
