package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.plans.{FullOuter, Inner, LeftOuter, RightOuter}

import hudilite.spark.plan.{Clause, InsertClause, KeyText}

/** Plan that joins a source with the table. A matched pair has the key and partition of its target
  * row. If the statement inserts, the plan also has the source rows without a match, with the key
  * and partition that they insert. One outer join gives both, so that the source is evaluated once.
  *
  * @param pairColumns columns that clauses need, computed from a pair
  * @param keepsTarget whether the plan also has the target rows without a match, as pairs whose
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

  /** Null in a target row without a match. */
  val isSource: Attribute = marker.toAttribute
  private val isPair: Expression = IsNotNull(joined(target.keyColumns.head))
  private val flag = Alias(isPair, "is_match")()
  private val keys = places(target.keyColumns)
  private val partitions = places(target.partitionColumns)

  val key: Seq[Attribute] = keys.map(_.toAttribute)

  val partition: Seq[Attribute] = partitions.map(_.toAttribute)

  /** True for a pair, false for a source row without a match; None if there are only pairs. */
  val isMatch: Option[Expression] = Option.when(keepsUnmatched)(flag.toAttribute)

  val plan: LogicalPlan = {
    val ofPairs = pairColumns.map { column =>
      if (!keepsUnmatched) column
      else column.withNewChildren(Seq(ifPair(column.child, Literal(null, column.dataType))))
    }.collect { case alias: Alias => alias }
    val ofSource = source.output ++ Option.when(keepsTarget)(isSource)
    Project(ofSource ++ ofPairs ++ keys ++ partitions :+ flag, join)
  }

  /** Returns an INSERT clause that fires only for source rows without a match. */
  def ofUnmatched(clause: InsertClause): Clause = Clause.when(Not(flag.toAttribute), clause)

  private def places(columns: Seq[Attribute]): Seq[Alias] = columns.map { column =>
    val found = joined(column)
    Alias(if (keepsUnmatched) ifPair(found, inserted(column)) else found, column.name)()
  }

  /** Value that the first INSERT clause that fires assigns to a column. */
  private def inserted(column: Attribute): Expression = {
    def value(clause: InsertClause): Expression = {
      def of(column: Attribute) =
        clause.values(target.columns.indexWhere(_.exprId == column.exprId))
      if (target.isColumn(column)) of(column) else target.recordKeyOf(of)
    }
    if (target.makesKeys && !target.isColumn(column)) KeyText.made // one for all clauses
    else
      inserts.foldRight[Expression](Literal(null, column.dataType)) { (clause, rest) =>
        clause.condition.fold(value(clause))(If(_, value(clause), rest))
      }
  }

  private def ifPair(found: Expression, otherwise: Expression) = If(isPair, found, otherwise)

  /** Column of the target in the join's output: null in a source row without a match. */
  private def joined(column: Attribute): Attribute =
    join.output.find(_.exprId == column.exprId).getOrElse(column)
}
