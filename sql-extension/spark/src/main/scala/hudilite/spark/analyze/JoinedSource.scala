package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.plans.{Inner, LeftOuter}

import hudilite.spark.plan.InsertClause

/** A source joined with the table: each matched pair under the key and partition of its target row,
  * and, where the statement inserts, each row that matched nothing under those that it inserts.
  *
  * One outer join gives both, so that the source is evaluated once.
  *
  * @param pairColumns what clauses need of a pair */
private[analyze] final class JoinedSource(
    target: HudiliteTarget,
    source: LogicalPlan,
    condition: Expression,
    inserts: Seq[InsertClause],
    pairColumns: Seq[Alias]
) {
  private val keepsUnmatched = inserts.nonEmpty
  private val join = Join(
    source,
    target.named,
    if (keepsUnmatched) LeftOuter else Inner,
    Some(condition),
    JoinHint.NONE
  )
  private val isPair: Expression = IsNotNull(joined(target.keyColumns.head))
  private val flag = Alias(isPair, "is_match")()
  private val keys = places(target.keyColumns)
  private val partitions = places(target.partitionColumns)

  val key: Seq[Attribute] = keys.map(_.toAttribute)

  val partition: Seq[Attribute] = partitions.map(_.toAttribute)

  /** What tells a pair from a source row that matched nothing. */
  val isMatch: Option[Expression] = Option.when(keepsUnmatched)(flag.toAttribute)

  val plan: LogicalPlan = {
    val ofPairs = pairColumns.map { column =>
      if (!keepsUnmatched) column
      else column.withNewChildren(Seq(ifPair(column.child, Literal(null, column.dataType))))
    }.collect { case alias: Alias => alias }
    Project(source.output ++ ofPairs ++ keys ++ partitions :+ flag, join)
  }

  /** An INSERT clause that leaves pairs alone. */
  def ofUnmatched(clause: InsertClause): InsertClause = {
    val unmatched = Not(flag.toAttribute)
    clause.copy(condition = Some(clause.condition.fold[Expression](unmatched)(And(unmatched, _))))
  }

  private def places(columns: Seq[Attribute]): Seq[Alias] = columns.map { column =>
    val found = joined(column)
    Alias(if (keepsUnmatched) ifPair(found, inserted(column)) else found, column.name)()
  }

  /** What the first INSERT clause that fires gives a column. */
  private def inserted(column: Attribute): Expression = {
    val at = target.columns.indexWhere(_.exprId == column.exprId)
    inserts.foldRight[Expression](Literal(null, column.dataType)) { (clause, rest) =>
      clause.condition.fold(clause.values(at))(If(_, clause.values(at), rest))
    }
  }

  private def ifPair(found: Expression, otherwise: Expression) = If(isPair, found, otherwise)

  /** A column of the target as the join puts it out: null in a row that matched nothing. */
  private def joined(column: Attribute): Attribute =
    join.output.find(_.exprId == column.exprId).getOrElse(column)
}
