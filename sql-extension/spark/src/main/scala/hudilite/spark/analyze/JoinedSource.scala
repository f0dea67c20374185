package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.plans.{FullOuter, Inner, LeftOuter, RightOuter}

import hudilite.spark.plan.{Clause, InsertClause}

/** A source joined with the table: each matched pair under the key and partition of its target row,
  * and, where the statement inserts, each row that matched nothing under those that it inserts.
  *
  * One outer join gives both, so that the source is evaluated once.
  *
  * @param pairColumns what clauses need of a pair
  * @param keepsTarget whether rows of the table that match nothing come too, as pairs whose
  *                    [[isSource]] is null */
private[analyze] final class JoinedSource(
    target: HudiliteTarget,
    source: LogicalPlan,
    condition: Expression,
    inserts: Seq[InsertClause],
    pairColumns: Seq[Alias],
    keepsTarget: Boolean
) {
  private val keepsUnmatched = inserts.nonEmpty
  private val marker = Alias(Literal.TrueLiteral, "is_source")()
  private val join = Join(
    if (keepsTarget) Project(source.output :+ marker, source) else source,
    target.inSource(target.named),
    (keepsUnmatched, keepsTarget) match {
      case (true, true) => FullOuter
      case (true, false) => LeftOuter
      case (false, true) => RightOuter
      case (false, false) => Inner
    },
    Some(condition),
    JoinHint.NONE
  )

  /** Null in a row of the table that matched nothing. */
  val isSource: Attribute = marker.toAttribute
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
    val told = source.output ++ Option.when(keepsTarget)(isSource)
    Project(told ++ ofPairs ++ keys ++ partitions :+ flag, join)
  }

  /** An INSERT clause that leaves pairs alone. */
  def ofUnmatched(clause: InsertClause): Clause = Clause.when(Not(flag.toAttribute), clause)

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
