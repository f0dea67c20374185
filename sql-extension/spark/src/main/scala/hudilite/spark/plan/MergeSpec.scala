package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.{And, Attribute, Expression, Unevaluable}
import org.apache.spark.sql.types.{DataType, NullType}

import hudilite.commit.StreamBatch

/** Description of what a write does with each row. It is an expression, so that Spark's rules also
  * apply to the expressions inside it.
  *
  * @param operation          Hudi's operation type: UPSERT for MERGE and UPDATE, INSERT, DELETE
  * @param keyColumns         key columns of the target, in key order
  * @param sourceKey          key values of a source row, in the key columns' types; a source row
  *                           with a null key value matches no row
  * @param hasStoredKey       whether `sourceKey` is the record key as it is stored, not the values of
  *                           key columns
  * @param sourcePartition    values of all partition columns of the partition in which a source row
  *                           is looked up, in the columns' types; None: look-up in every partition
  * @param samePartition      equalities of ON on the partition columns; evaluated for rows of
  *                           Hudi's default partition, which null and the empty string share
  * @param matched            clauses for a target row with a source row, in order of the statement
  * @param notMatched         INSERT clauses for a source row without a target row
  * @param notMatchedBySource clauses for a target row without a source row
  * @param movesPartition     whether a clause may write a row to another partition than the one
  *                           where it was looked up; false for a table without partition columns
  * @param matchIsError       whether a match is the error HUDILITE_DUPLICATE_KEY (INSERT); the only
  *                           clauses are then inserts
  * @param residual           rest of the ON condition, for a source row and the target row of its
  *                           key
  * @param ordering           ordering value of a source row: of rows with one key the greatest wins
  * @param rivals             of rows with one key, only those with equal values of these are
  *                           compared by `ordering`
  * @param newer              whether a source row is not older than the target row of its key; if it
  *                           is, no clause of `matched` fires
  * @param joined             why the source is joined with the target; None if it is not
  * @param replaces           partitions that are emptied before rows are inserted
  * @param stream             batch of a streaming query that the source is, if it is one
  * @param deletesMatches     whether the statement's only WHEN MATCHED clause is an unconditional
  *                           DELETE; then several source rows may match one target row
  * @param isChecked          whether the values of the clauses fail where they break a CHECK
  *                           constraint or give a generated column another value */
case class MergeSpec(
    operation: String,
    keyColumns: Seq[Attribute],
    sourceKey: Seq[Expression],
    sourcePartition: Option[Seq[Expression]],
    samePartition: Option[Expression],
    matched: Seq[Clause],
    notMatched: Seq[Clause],
    notMatchedBySource: Seq[Clause],
    movesPartition: Boolean,
    matchIsError: Boolean,
    residual: Option[Expression] = None,
    ordering: Option[Expression] = None,
    joined: Option[String] = None,
    replaces: Option[Replacement] = None,
    stream: Option[StreamBatch] = None,
    hasStoredKey: Boolean = false,
    newer: Option[Expression] = None,
    rivals: Seq[Expression] = Nil,
    deletesMatches: Boolean = false,
    isChecked: Boolean = false
) extends Expression
    with Unevaluable {

  override def nullable: Boolean = false
  override def dataType: DataType = NullType

  override def children: Seq[Expression] = parts.flatten

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): MergeSpec = {
    val ends = parts.map(_.length).scanLeft(0)(_ + _)
    def part(at: Int) = newChildren.slice(ends(at), ends(at + 1))
    def clauses(at: Int) = part(at).collect { case clause: Clause => clause }
    copy(
      sourceKey = part(0),
      sourcePartition = sourcePartition.map(_ => part(1)),
      samePartition = part(2).headOption,
      matched = clauses(3),
      notMatched = clauses(4),
      notMatchedBySource = clauses(5),
      residual = part(6).headOption,
      ordering = part(7).headOption,
      newer = part(8).headOption,
      rivals = part(9)
    )
  }

  /** Clauses of `matched` that fire only for a source row that is not older than the target row. */
  def matchedIfNewer: Seq[Clause] = newer.fold(matched)(holds => matched.map(Clause.when(holds, _)))

  /** Text for EXPLAIN. */
  override def toString: String = {
    val key = keyColumns.zip(sourceKey).map { case (column, value) => s"$column = $value" }
    val partition = sourcePartition.filter(_.nonEmpty).map(_.mkString("partition [", ", ", "]"))
    val clauses = matchedIfNewer.map(clause => s"WHEN MATCHED$clause") ++
      notMatched.map(clause => s"WHEN NOT MATCHED$clause") ++
      notMatchedBySource.map(clause => s"WHEN NOT MATCHED BY SOURCE$clause")
    val rest = residual.map(r => s"AND $r") ++ replaces.map(r => s"REPLACE [$r]")
    (Seq(operation, key.mkString("key [", ", ", "]")) ++ partition ++ rest ++ clauses).mkString(" ")
  }

  /** Excludes `keyColumns`: they name columns, and no rule may replace them by values. */
  private def parts: Seq[Seq[Expression]] =
    Seq(sourceKey, sourcePartition.getOrElse(Nil), samePartition.toSeq, matched, notMatched,
      notMatchedBySource, residual.toSeq, ordering.toSeq, newer.toSeq, rivals)
}

/** One WHEN clause; of the clauses of a kind, the first whose condition is true fires. */
sealed trait Clause extends Expression with Unevaluable {

  /** None: the clause always fires. */
  def condition: Option[Expression]

  override def nullable: Boolean = false
  override def dataType: DataType = NullType

  override def toString: String = s"${condition.map(c => s" AND $c").mkString} THEN $action"

  protected def action: String
}

object Clause {

  /** Whether some clauses are one unconditional DELETE. */
  def isOneDelete(clauses: Seq[Clause]): Boolean = clauses match {
    case Seq(DeleteClause(None, _)) => true
    case _ => false
  }

  /** Adds a condition to a clause: it fires only if that is true too. */
  def when(holds: Expression, clause: Clause): Clause = {
    val condition = Some(clause.condition.fold(holds)(And(holds, _)))
    clause match {
      case update: UpdateClause => update.copy(condition = condition)
      case delete: DeleteClause => delete.copy(condition = condition)
      case insert: InsertClause => insert.copy(condition = condition)
    }
  }
}

/** UPDATE of a row.
  * @param values one for each column of the table, in the columns' types and order */
case class UpdateClause(condition: Option[Expression], values: Seq[Expression]) extends Clause {
  override protected def action: String = values.mkString("UPDATE [", ", ", "]")
  override def children: Seq[Expression] = condition.toSeq ++ values
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Clause =
    copy(
      condition.map(_ => newChildren.head),
      newChildren.drop(condition.size)
    )
}

/** INSERT of a row.
  * @param values one for each column of the table, in the columns' types and order
  * @param moves  whether the row had another key or was in another partition; it then counts as
  *               updated
  * @param drops  whether the row is marked as deleted: it is not inserted, but counts as one of its key.
  *               Only the values of key and partition columns matter */
case class InsertClause(
    condition: Option[Expression],
    values: Seq[Expression],
    moves: Boolean = false,
    drops: Boolean = false
) extends Clause {
  override protected def action: String =
    if (drops) "INSERT nothing" else values.mkString("INSERT [", ", ", "]")
  override def children: Seq[Expression] = condition.toSeq ++ values
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Clause =
    copy(
      condition.map(_ => newChildren.head),
      newChildren.drop(condition.size)
    )
}

/** DELETE of a row.
  * @param moves whether the row gets another key or goes to another partition; it then counts as
  *              updated */
case class DeleteClause(condition: Option[Expression], moves: Boolean = false) extends Clause {
  override protected def action: String = "DELETE"
  override def children: Seq[Expression] = condition.toSeq
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Clause =
    copy(condition.map(_ => newChildren.head))
}
